"""Driver and simulated device over a real pty."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from soul.mock_body.pty import PtySocket
from soul.stackchan.discovery import resolve
from soul.stackchan.transports.serial_port import SerialPort
from support.worlds.threaded import LONGEST, ThreadedWorld

__all__ = ['LONGEST', 'PtyWorld']


class PtyWorld(ThreadedWorld):
    """They meet at a pseudo terminal, speaking soul-serial."""

    def __init__(
        self,
        home: Path,
        driver: dict[str, Any] | None = None,
        mock: dict[str, Any] | None = None,
        seed: int = 1,
    ) -> None:
        super().__init__()
        self.link = home / 'run' / 'body.pty'
        self.socket = PtySocket(
            self.link, lambda data: self.inject(lambda now: self.mock.on_bytes(data, now))
        )
        self.make_mock(mock or {}, self.socket, home, seed)
        given = {'port': 'mock'} | (driver or {})
        port = SerialPort(partial(resolve, given['port'], '', self.link), self.deliver, 921_600)
        self.make_driver(given, port, seed)

    def close(self) -> None:
        super().close()
        self.socket.close()
