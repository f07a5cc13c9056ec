"""Her end of the socket: takes terminals in, each in a session of its own."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import stat
import struct
import threading
from collections.abc import Callable
from pathlib import Path

from soul.core.border import Border
from soul.store.home import HomeUnusable
from soul.terminal.link import Link
from soul.terminal.protocol import Greeting, encode
from soul.terminal.session import TerminalSession

#: So many terminals at once.
MOST = 32
#: How often it is looked whether the socket is still in its place, s.
LOOK_SECONDS = 5.0
#: Longest wait for a living process to take a connection, s.
PROBE_SECONDS = 1.0
#: Longest wait for one session to end, s.
LAST_SECONDS = 1.0
_MODE = 0o600
_CREDENTIALS = struct.Struct('3i')  # pid, uid, gid


class Occupied(Exception):
    """Something is at the socket's path that is not to be replaced; says what."""


class Listener:
    """Listens at a path as long as she lives.

    Parameters
    ----------
    path
        Of the socket; its folder is there and belongs to this user alone.
    greeting
        What each terminal hears first.
    open_link
        Makes a link to her for one session.
    tell
        Hears what happened for the log: (level, text). Called on any thread.

    Raises
    ------
    Occupied
        If a living process listens there, or what is there is no socket.
    OSError
        If the socket cannot be made.
    """

    def __init__(
        self,
        path: Path,
        greeting: Greeting,
        open_link: Callable[[], Link],
        tell: Callable[[str, str], None],
    ) -> None:
        self.path = path
        self._greeting = greeting
        self._open_link = open_link
        self._tell = tell
        self._border = Border()
        self._sessions: dict[TerminalSession, threading.Thread] = {}
        self._wake = os.pipe()
        try:
            self._socket = _bound(path)
        except BaseException:
            self._close_pipe()
            raise
        self._place = _place(path)
        self._thread = threading.Thread(target=self._accept, name='terminals', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Listen no longer and end all sessions; the socket's file is removed."""
        os.write(self._wake[1], b'.')
        self._thread.join()
        if _place(self.path) == self._place:
            with contextlib.suppress(OSError):
                self.path.unlink()
        self._socket.close()
        sessions = dict(self._sessions)
        for session in sessions:
            session.end()
        for thread in sessions.values():
            thread.join(LAST_SECONDS)
        self._close_pipe()

    def _close_pipe(self) -> None:
        for end in self._wake:
            os.close(end)

    def _accept(self) -> None:
        while True:
            poll = select.poll()
            poll.register(self._socket, select.POLLIN)
            poll.register(self._wake[0], select.POLLIN)
            ready = [descriptor for descriptor, _ in poll.poll(LOOK_SECONDS * 1000)]
            if self._wake[0] in ready:
                return
            for session in [s for s, thread in self._sessions.items() if not thread.is_alive()]:
                del self._sessions[session]
            if not ready:
                self._stay()
                continue
            try:
                connection, _ = self._socket.accept()
            except OSError as error:  # it has hung up already, or there is no descriptor left
                self._tell('debug', f'no terminal was taken in: {error}')
                continue
            self._take_in(connection)

    def _take_in(self, connection: socket.socket) -> None:
        if not _is_ours(connection):
            connection.close()
            return
        if len(self._sessions) >= MOST:
            full = Greeting(
                self._greeting.namespace, self._greeting.domain, os.getpid(), full=True
            )
            with connection, contextlib.suppress(OSError):
                connection.setblocking(False)
                connection.send(encode(full.to_line()))
            return
        session = TerminalSession(
            connection, self._greeting, self._open_link, self._border, self._tell
        )
        thread = threading.Thread(target=session.run, name='terminal', daemon=True)
        self._sessions[session] = thread
        thread.start()

    def _stay(self) -> None:
        """Make the socket anew if somebody has removed it, as `rm run/*` does."""
        if _place(self.path) == self._place or not self.path.parent.is_dir():
            return
        try:
            new = _bound(self.path)
        except (Occupied, OSError) as why:
            self._tell('debug', f'{self.path} is not hers any more: {why}')
            return
        self._socket.close()
        self._socket, self._place = new, _place(self.path)
        self._tell('warning', f'{self.path} had vanished and was made anew')


def make_private(folder: Path) -> str:
    """Make sure that only its owner can use a folder; say what was done, empty: nothing.

    Raises
    ------
    HomeUnusable
        If it belongs to somebody else.
    OSError
        If it is not there.
    """
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise HomeUnusable(f'{folder} belongs to somebody else')
    if not stat.S_IMODE(found.st_mode) & 0o077:
        return ''
    folder.chmod(0o700)
    return f'others could use {folder}; now they cannot'


def _bound(path: Path) -> socket.socket:
    """Listen at a path; what a dead process left there is replaced."""
    _clear(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(os.fspath(path))
        path.chmod(_MODE)  # its folder is private, so there was no moment for others
        made.listen(MOST)
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return made


def _clear(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise Occupied(f'{path} is no socket: remove it')
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_SECONDS)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError as error:  # full, or not allowed: somebody is there
            raise Occupied(f"{path} is somebody else's: {error}") from None
    raise Occupied(f'another process listens at {path}')


def _place(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_ours(connection: socket.socket) -> bool:
    """Tell whether this user, or root, is at the other end."""
    said = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(said)[1] in (os.geteuid(), 0)
