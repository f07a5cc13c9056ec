"""Driver and simulated device with M5Stack's own firmware: it asks, is woken, dials, hangs up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from soul.mock_body.asking_dialler import AskingDialler
from soul.signals import TriggerRequest
from support.worlds.dialled import DialledWorld


class OfficialWorld(DialledWorld):
    """They meet over real sockets, through a wire that can be cut."""

    def __init__(self, home: Path, mock: dict[str, Any] | None = None, **how: Any) -> None:
        super().__init__(home, mock={'flavour': 'official'} | (mock or {}), **how)

    def make_dialler(
        self, headers: dict[str, str], deliver: Callable[[Any], None]
    ) -> AskingDialler:
        return AskingDialler(lambda: f'http://{self.place()}/xiaozhi/ota/', headers, deliver)

    @property
    def knows(self) -> bool:
        """Whether the device knows where to dial."""
        return bool(self.mock.log and self.asked and self.asked[-1] == '')

    @property
    def asked(self) -> list[str]:
        """What became of its questions, why not; empty: it knows."""
        return [entry['why'] for entry in self.log('asked')]

    def begin(self) -> OfficialWorld:
        """Let the driver live and the device boot, until it has asked."""
        self.take(self.driver.configure(self.now))
        self.take(self.driver.activate(self.now))
        self.until(lambda: self.knows)
        return self

    def poke(self, name: str) -> None:
        """Do something to the device."""
        serve = getattr(self.mock, f'serve_{name}')
        answer, outputs = serve(TriggerRequest(), self.now)
        assert answer.success, answer.message
        self.take(outputs)

    def wake(self) -> None:
        """Say its wake word, and wait until it is there."""
        joins = self.driver.port.joins
        self.poke('wake')
        self.until(lambda: self.driver.port.joins > joins and self.driver.port.joined)

    def up(self) -> OfficialWorld:
        """Be together, with the head known."""
        self.begin()
        self.wake()
        self.until(lambda: self.driver.components.neck.head.known(self.now))
        return self
