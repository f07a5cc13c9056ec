"""One organ of a kind per home: locks that say who holds them, and that nobody removes unnoticed.

Each lock is held twice: on a file in the home's `run/`, which every process that can reach the
home sees, and on one in the user's runtime folder under the number of the home itself, so that
`rm run/*.lock` lets nobody in. Both are looked at again and again while she lives.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
from pathlib import Path

from soul.store.home import HomeUnusable
from soul.store.runtime import own_folder, runtime_folder


class HomeInUse(Exception):
    """Another process already runs this organ on this home."""


class _Held(Exception):
    """Somebody else holds the file; says what stands in it."""

    def __init__(self, said: bytes) -> None:
        super().__init__()
        self.said = said


def boot_id() -> str:
    """Return the kernel's id of this boot; a pid means nothing after another one."""
    try:
        return Path('/proc/sys/kernel/random/boot_id').read_text(encoding='ascii').strip()
    except OSError:
        return 'unknown'


class LockFile:
    """An advisory lock on a file for as long as the process lives.

    The kernel frees it when the holder dies, however it dies; the file's content (pid, boot id,
    what runs) is only there to tell people who holds it. Links are never followed, and what is no
    plain file is never written.
    """

    def __init__(self, path: Path, holder: str) -> None:
        self.path = path
        self._holder = holder
        self._descriptor: int | None = None

    def take(self) -> None:
        """Take the lock.

        Raises
        ------
        _Held
            If somebody else has it.
        HomeUnusable
            If something other than a file is in its place.
        OSError
            If it cannot be made.
        """
        while True:
            descriptor = self._open()
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                said = os.pread(descriptor, 4096, 0)
                os.close(descriptor)
                raise _Held(said) from None
            if not _is_at(descriptor, self.path):
                os.close(descriptor)  # removed between the two: whose it is now is seen anew
                continue
            with contextlib.suppress(OSError):  # on a full disk it holds without saying whose
                os.ftruncate(descriptor, 0)
                about = {'pid': os.getpid(), 'boot_id': boot_id(), 'holder': self._holder}
                os.pwrite(descriptor, json.dumps(about).encode(), 0)
            self._descriptor = descriptor
            return

    def _open(self) -> int:
        ways = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            descriptor = os.open(self.path, ways, 0o600)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
                raise
            raise HomeUnusable(f'{self.path} is no file: remove it') from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise HomeUnusable(f'{self.path} is no file: remove it')
        return descriptor

    @property
    def in_place(self) -> bool:
        """Whether the file that is held still bears its name."""
        return self._descriptor is not None and _is_at(self._descriptor, self.path)

    def release(self) -> None:
        """Let go."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        there = os.lstat(path)
    except OSError:
        return False
    held = os.fstat(descriptor)
    return (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino)


def twins(home: Path) -> Path:
    """Return the folder in which the locks of a home are held a second time.

    Raises
    ------
    HomeUnusable
        If the user's runtime folder cannot be used.
    OSError
        If the home is not there, or the folder cannot be made.
    """
    found = os.stat(home)
    homes = own_folder(runtime_folder() / 'homes')
    return own_folder(homes / f'{found.st_dev:x}-{found.st_ino:x}')


class InstanceLock:
    """The lock of one organ on one home: `path` is `<home>/run/<organ>.lock`."""

    def __init__(self, path: Path, holder: str) -> None:
        self.path = path
        self._holder = holder
        self._files: list[LockFile] = []

    def acquire(self) -> InstanceLock:
        """Take the lock.

        Raises
        ------
        HomeInUse
            Naming the process that holds it.
        HomeUnusable
            If something other than a file is in the place of a lock.
        OSError
            If a lock cannot be made.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in self._paths():
            file = LockFile(path, self._holder)
            try:
                file.take()
            except _Held as held:
                self.release()
                raise HomeInUse(self._refusal(held.said)) from None
            except BaseException:
                self.release()
                raise
            self._files.append(file)
        return self

    def _paths(self) -> list[Path]:
        return [self.path, twins(self.path.parent.parent) / self.path.name]

    def renew(self) -> str:
        """Take the files anew that somebody has removed.

        Returns
        -------
        str
            What was the matter, in words; empty: nothing.

        Raises
        ------
        HomeInUse
            If another process has taken such a file meanwhile: two live on this home now.
        OSError
            If a file cannot be made anew.
        """
        gone = [file for file in self._files if not file.in_place]
        for file in gone:
            file.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = LockFile(file.path, self._holder)
            try:
                new.take()
            except _Held as held:
                raise HomeInUse(self._refusal(held.said)) from None
            file.release()
            self._files[self._files.index(file)] = new
        return f'{gone[0].path} had vanished and was made anew' if gone else ''

    def _refusal(self, said: bytes) -> str:
        organ, home = self.path.stem, self.path.parent.parent
        about = said_by(said)
        who = (
            f'process {about["pid"]} ({about["holder"]}, boot {about["boot_id"]})'
            if about
            else 'a process that has not said yet who it is'
        )
        return (
            f'{organ} already runs on the home {home}: {who} holds {self.path}. '
            'Stop that one, or give this one another home (soul_home:=..., --home).'
        )

    def release(self) -> None:
        """Let go."""
        while self._files:
            self._files.pop().release()


def said_by(said: bytes) -> dict[str, object]:
    """Read what a holder has written into its lock; empty if that cannot be read."""
    try:
        about = json.loads(said)
    except (ValueError, RecursionError):
        return {}
    whole = isinstance(about, dict) and {'pid', 'holder', 'boot_id'} <= about.keys()
    return about if whole else {}


def lives(home: Path, organ: str) -> bool:
    """Tell whether a process runs this organ on a home; nothing is made or changed."""
    paths = [home / 'run' / f'{organ}.lock']
    with contextlib.suppress(OSError, HomeUnusable):
        paths.append(twins(home) / f'{organ}.lock')
    return any(holder(path) is not None for path in paths)


def holder(path: Path) -> dict[str, object] | None:
    """Say who holds a lock; None: nobody. Nothing is made or changed.

    Returns
    -------
    dict or None
        `pid`, `boot_id` and `holder`, what the holder says it is; empty: it has not said yet.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return said_by(os.pread(descriptor, 4096, 0))
    finally:
        os.close(descriptor)
    return None
