"""The STOP file: while anything is at its path nothing acts. Anybody may put it there.

Guard, mind and driver each watch it themselves, so that a stop needs no working graph. Whatever
is found counts: a directory, a file of somebody else's, a pipe, a link to nowhere, a path that
cannot even be looked at. Only a path of which the kernel says that nothing is there is no stop.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from inotify_simple import INotify, flags

from soul.store.durable import sync_directory
from soul.store.stoppable_thread import StoppableThread

_CHANGES = (
    flags.CREATE
    | flags.DELETE
    | flags.MOVED_TO
    | flags.MOVED_FROM
    | flags.CLOSE_WRITE
    | flags.ATTRIB
    | flags.DELETE_SELF
    | flags.MOVE_SELF
)
#: The path is looked at this often, s, whatever the kernel tells: it may tell nothing (a network
#: file system, a directory that was exchanged).
LOOK_SECONDS = 1.0
#: The same if the kernel watches nothing for us at all, s: half of what a stop may take.
BLIND_SECONDS = 0.05
#: So much of the file is read, bytes: a reason, not a book.
READ_LIMIT = 4096

_KINDS = {
    stat.S_IFDIR: 'a directory',
    stat.S_IFLNK: 'a symbolic link',
    stat.S_IFIFO: 'a pipe',
    stat.S_IFSOCK: 'a socket',
    stat.S_IFCHR: 'a device',
    stat.S_IFBLK: 'a device',
}


class StopFile:
    """Reads, writes and watches one home's STOP file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread: StoppableThread | None = None
        self._inotify: INotify | None = None
        self._watched = (0, 0)  # device and inode of the directory that is watched
        self._blind = ''  # why the kernel watches nothing; empty: it does

    def read(self) -> str | None:
        """Look what is there.

        Returns
        -------
        str or None
            None if nothing is there. The first 4,096 bytes of a file; of anything else, or if it
            cannot be read, what is the matter. It never blocks on a pipe and never raises.
        """
        try:
            found = os.lstat(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            return f'{self.path.name} cannot be looked at: {error.strerror}'
        kind = _KINDS.get(stat.S_IFMT(found.st_mode))
        if kind is not None:
            return f'{self.path.name} is {kind}'
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                return os.read(descriptor, READ_LIMIT).decode('utf-8', 'replace')
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            return f'{self.path.name} cannot be read: {error.strerror}'

    def write(self, reason: str | None) -> None:
        """Write the file with a reason, or remove what is there with None.

        On the disk afterwards. Where something is already that is no file of ours, it stays: it
        stops her as well.

        Raises
        ------
        OSError
            If nothing is there afterwards, or something still is.
        """
        if reason is None:
            self._remove()
        else:
            try:
                self._write(reason)
            except OSError:
                if not os.path.lexists(self.path):
                    raise
        sync_directory(self.path.parent)

    def _write(self, reason: str) -> None:
        ways = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(self.path, ways, 0o600)
        with os.fdopen(descriptor, 'w', encoding='utf-8', errors='replace') as file:
            file.write(reason + '\n')
            file.flush()
            os.fsync(file.fileno())

    def _remove(self) -> None:
        try:
            self.path.unlink(missing_ok=True)
        except (IsADirectoryError, PermissionError):  # the second one is what BSDs say of both
            if not self.path.is_dir() or self.path.is_symlink():
                raise
            self.path.rmdir()

    # --- watching -------------------------------------------------------------------------

    def watch(
        self,
        changed: Callable[[str | None], None],
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Call `changed` with :meth:`read` after each change, on a thread of its own.

        What is there already is told, too: `changed` may hear the same content twice. The thread
        sleeps in the kernel and looks once a second all the same; where the kernel watches
        nothing for it, it looks 20 times a second. A directory that is deleted or moved away is
        made anew: a stop must always be possible.

        Parameters
        ----------
        say
            Hears in words when it has to do without the kernel, and what else goes wrong.
        """
        self._thread = StoppableThread('stop-file', lambda: self._work(changed, say))
        self._renew(say)
        self._thread.start()

    def _work(self, changed: Callable[[str | None], None], say: Callable[[str], None]) -> None:
        assert self._thread is not None
        before: str | None = None
        told = ''
        while True:
            try:
                self._renew(say)
                content = self.read()
                if content != before:
                    changed(content)
                    before = content
            except Exception as error:  # noqa: BLE001 - a watcher that ends is a stop that fails
                if repr(error) != told:
                    told = repr(error)
                    say(f'the STOP file could not be looked at: {told}; it is tried again')
            if not self._wait():
                break
        if self._inotify is not None:
            self._inotify.close()
            self._inotify = None

    def _wait(self) -> bool:
        """Wait until it is time to look again; False if watching is to end."""
        assert self._thread is not None
        if self._inotify is None:
            return self._thread.sleep(None, BLIND_SECONDS) is not None
        try:
            happened = self._thread.sleep(self._inotify, LOOK_SECONDS)
            if happened:
                self._inotify.read(timeout=0)
        except OSError as error:
            self._blind = error.strerror or str(error)
            self._inotify.close()
            self._inotify, self._watched = None, (0, 0)
            return True
        return happened is not None

    def _renew(self, say: Callable[[str], None]) -> None:
        """Let the kernel watch the directory that bears the name now; make it if it is gone."""
        directory = self.path.parent
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = os.stat(directory)
            if (found.st_dev, found.st_ino) == self._watched:
                return
            if self._inotify is None:
                self._inotify = INotify()
            self._inotify.add_watch(directory, _CHANGES)
        except OSError as error:
            if self._inotify is not None:
                self._inotify.close()
            self._inotify, self._watched = None, (0, 0)
            why = error.strerror or str(error)
            if why != self._blind:
                self._blind = why
                say(
                    f'{self.path} is looked at {1 / BLIND_SECONDS:.0f} times a second: the '
                    f'system watches nothing more for her ({why})'
                )
        else:
            self._watched = (found.st_dev, found.st_ino)
            self._blind = ''

    def close(self) -> None:
        """End the thread that watches."""
        if self._thread is not None:
            self._thread.close()
