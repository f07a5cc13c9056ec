"""Driver and simulated device over a real WebSocket: the device dials the driver."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from soul.mock_body.dialler import Dialler
from soul.stackchan.pairing.admission import Admission
from soul.stackchan.pairing.register import Register
from soul.stackchan.transports.xiaozhi.server import Listening, XiaozhiServer
from support.proxy import Proxy
from support.worlds.threaded import ThreadedWorld

DEVICE = '02:50:0c:00:00:01'


class DialledWorld(ThreadedWorld):
    """They speak the xiaozhi protocol, through a wire that can be cut."""

    def __init__(
        self,
        home: Path,
        driver: dict[str, Any] | None = None,
        mock: dict[str, Any] | None = None,
        seed: int = 1,
        token: str = '',
        **listening: Any,
    ) -> None:
        super().__init__()
        self.listens = 0
        self.proxy = Proxy(lambda: self.listens)
        self.dialler = self.make_dialler(
            {'Device-Id': DEVICE, 'Client-Id': 'mock', 'Protocol-Version': '1'},
            lambda event: self.inject(lambda now: self.mock.on_bytes(event, now)),
        )
        self.make_mock({'flavour': 'stackchan_mcp'} | (mock or {}), self.dialler, home, seed)
        how = Listening(**({'rate': 1000.0, 'announces': False} | listening))
        self.admission = Admission(Register(home / 'paired.json'), token)
        port = XiaozhiServer(how, self.admission, self._know, self.deliver)
        self.make_driver({'transport': 'xiaozhi', 'first_move': 0.0} | (driver or {}), port, seed)

    def make_dialler(self, headers: dict[str, str], deliver: Callable[[Any], None]) -> Dialler:
        """Make the device's end of the line."""
        return Dialler(self._url, headers, deliver)

    def _know(self, number: int) -> None:
        self.listens = number

    def place(self) -> str:
        """Where the device reaches the driver: through the wire that can be cut."""
        if not self.listens:
            raise OSError('nobody listens yet')
        return f'127.0.0.1:{self.proxy.port}'

    def _url(self) -> str:
        return f'ws://{self.place()}'

    def close(self) -> None:
        super().close()
        self.dialler.close()
        self.proxy.close()
