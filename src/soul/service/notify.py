"""Tells systemd how far she is (sd_notify(3)), if it is systemd that has started her."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping


class Notifier:
    """Sends to the socket that the environment names; without one it does nothing.

    Parameters
    ----------
    environment
        Variables of this process.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        path = environment.get('NOTIFY_SOCKET', '')
        # @ stands for the NUL byte of an abstract name
        self._path = f'\0{path[1:]}' if path.startswith('@') else path
        self._microseconds = _number(environment.get('WATCHDOG_USEC', ''))
        of = _number(environment.get('WATCHDOG_PID', ''))
        if of and of != os.getpid():
            self._microseconds = 0

    @property
    def watchdog_seconds(self) -> float:
        """Within this time it wants to hear that she lives, s; 0: it does not."""
        return self._microseconds / 1e6 if self._path else 0.0

    def ready(self) -> None:
        """All organs live."""
        self._send('READY=1\nSTATUS=she lives')

    def alive(self) -> None:
        """Every organ has answered since the last time."""
        self._send('WATCHDOG=1')

    def stopping(self) -> None:
        """The end has begun."""
        self._send('STOPPING=1\nSTATUS=she goes to rest')

    def _send(self, text: str) -> None:
        if not self._path:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.setblocking(False)
            try:
                sender.sendto(text.encode(), self._path)
            except OSError:
                return  # whoever listened has gone or is busy: she lives on all the same


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0
