"""One organ of a kind per home: a lock file that says who holds it."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path


class HomeInUse(Exception):
    """Another process already runs this organ on this home."""


def boot_id() -> str:
    """Return the kernel's id of this boot; a pid means nothing after another one."""
    try:
        return Path('/proc/sys/kernel/random/boot_id').read_text(encoding='ascii').strip()
    except OSError:
        return 'unknown'


class InstanceLock:
    """An advisory lock for as long as the process lives.

    The kernel frees it when the holder dies, however it dies; the file's content (pid, boot id,
    what runs) is only there to tell people who holds it.
    """

    def __init__(self, path: Path, holder: str) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._holder = holder

    def acquire(self) -> InstanceLock:
        """Take the lock.

        Raises
        ------
        HomeInUse
            Naming the process that holds it.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            said = os.read(descriptor, 4096)
            os.close(descriptor)
            raise HomeInUse(self._refusal(said)) from None
        os.ftruncate(descriptor, 0)
        about = {'pid': os.getpid(), 'boot_id': boot_id(), 'holder': self._holder}
        os.write(descriptor, json.dumps(about).encode())
        self._descriptor = descriptor
        return self

    def _refusal(self, said: bytes) -> str:
        organ, home = self.path.stem, self.path.parent.parent
        try:
            about = json.loads(said)
            who = f'process {about["pid"]} ({about["holder"]}, boot {about["boot_id"]})'
        except (ValueError, KeyError, TypeError):
            who = 'a process that has not said yet who it is'
        return (
            f'{organ} already runs on the home {home}: {who} holds {self.path}. '
            'Stop that one, or give this one another home (soul_home:=..., --home).'
        )

    def release(self) -> None:
        """Let go."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
