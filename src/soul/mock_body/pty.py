"""A real pseudo terminal as the device's end of the cable.

The driver opens the other end as it would open hardware. The link to it has a fixed name and
appears and goes in one piece. A lock lies beside it for as long as this process lives: after a
kill the link dangles and the number of the terminal may be somebody else's soon.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import threading
import tty
from collections.abc import Callable
from pathlib import Path

from soul.wire.backlog import Backlog

#: Bytes kept for a host that does not read; what comes on top is dropped, like USB does.
BACKLOG = 128 * 1024

_CHUNK = 65_536


def lock_path(link: Path) -> Path:
    """Path of the lock that is held while the terminal behind `link` is ours."""
    return link.with_name(link.name + '.lock')


class PtySocket:
    """The device's end of a pty, read on a thread of its own.

    Parameters
    ----------
    link
        Symbolic link to the host's end.
    deliver
        Called with received bytes, on the reader thread.

    Raises:
    ------
    BlockingIOError
        If another process serves the same link.
    """

    def __init__(self, link: Path, deliver: Callable[[bytes], None]) -> None:
        self.link = link
        self._deliver = deliver
        link.parent.mkdir(parents=True, exist_ok=True)
        self._lock_file = os.open(lock_path(link), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock_file)
            raise BlockingIOError(
                error.errno, 'another simulated device serves this link', os.fspath(link)
            ) from None
        self._mutex = threading.Lock()
        self._backlog = Backlog(BACKLOG)
        self._master = -1
        self._slave = -1
        self._ending = False
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._thread = threading.Thread(target=self._run, name='mock_pty', daemon=True)
        self._thread.start()

    def plug(self) -> None:
        """Make a terminal and put the link there."""
        with self._mutex:
            if self._master >= 0:
                return
            self._master, self._slave = os.openpty()
            # The host's end stays open here: without it the terminal would fall back to echoing
            # what it hears whenever the host closes its own.
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            made = self.link.with_name(f'.{self.link.name}.{os.getpid()}')
            made.unlink(missing_ok=True)
            made.symlink_to(os.ttyname(self._slave))
            made.replace(self.link)
        self._wake()

    def unplug(self) -> None:
        """Take the link and the terminal away: the host's reads fail from now on."""
        with self._mutex:
            if self._master < 0:
                return
            self.link.unlink(missing_ok=True)
            master, slave = self._master, self._slave
            self._master = self._slave = -1
            self._backlog.reset()
            os.close(slave)
            os.close(master)
        self._wake()

    def write(self, data: bytes) -> None:
        """Send bytes, or keep them for a moment; never blocks."""
        with self._mutex:
            if self._master < 0:
                return
            self._backlog.add(data)
            self._flush()
            waiting = bool(self._backlog)
        if waiting:
            self._wake()

    def clear(self) -> None:
        """Drop what has not been sent yet."""
        with self._mutex:
            self._backlog.clear()

    def close(self) -> None:
        """Unplug and join the thread."""
        self._ending = True
        self.unplug()
        self._wake()
        self._thread.join()
        for file in (self._wake_read, self._wake_write, self._lock_file):
            os.close(file)

    def _flush(self) -> None:
        """Write what the terminal takes; the mutex is held."""
        if self._master >= 0:
            with contextlib.suppress(OSError):  # nobody there any more
                self._backlog.flush(self._master)

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it is awake enough
            os.write(self._wake_write, b'.')

    def _run(self) -> None:
        while not self._ending:
            with self._mutex:
                master, sending = self._master, bool(self._backlog)
                # A duplicate: the number of a closed one may belong to another file by then.
                watched = os.dup(master) if master >= 0 else -1
            try:
                data = self._wait(watched, sending)
            finally:
                if watched >= 0:
                    os.close(watched)
            if data:
                self._deliver(data)

    def _wait(self, watched: int, sending: bool) -> bytes:
        poll = select.poll()
        poll.register(self._wake_read, select.POLLIN)
        if watched >= 0:
            poll.register(watched, select.POLLIN | (select.POLLOUT if sending else 0))
        ready = dict(poll.poll())
        if self._wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wake_read, 4096)
        events = ready.get(watched, 0)
        if events & select.POLLOUT:
            with self._mutex:
                self._flush()
        if events & (select.POLLIN | select.POLLHUP):
            try:
                return os.read(watched, _CHUNK)
            except OSError as error:
                if error.errno not in (errno.EIO, errno.EAGAIN):
                    raise
        return b''
