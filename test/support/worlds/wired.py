"""Driver and simulated device over a real pty with its real threads, on a virtual clock.

Time stands still while bytes are on their way, and leaps to whatever is due next when none are:
minutes pass in a moment, and what is carried is carried by the kernel.
"""

from __future__ import annotations

import queue
import random
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from soul.mock_body.config import MockBodyConfig
from soul.mock_body.mock_body import MockBody
from soul.mock_body.pty import PtySocket
from soul.stackchan.config import StackChanConfig
from soul.stackchan.discovery import resolve
from soul.stackchan.stackchan import StackChan
from soul.stackchan.transports.choose import over_line
from soul.stackchan.transports.link import LinkNews, Received, Up
from soul.stackchan.transports.serial_port import SerialPort
from support.worlds.wire import DELAY, Conversation

#: Bytes that take longer, in real seconds, are lost.
_LONGEST = 20.0


class Watched:
    """What has been put on the wire and has not arrived."""

    def __init__(self) -> None:
        self.sent = b''  # all that the host ever sent
        self.to_device = 0
        self.to_host = 0
        self.open = False  # the driver has the port
        self.opening = False
        self.number = 0  # of the opening that is wanted; 0: none
        self.losing = False  # the port is gone; the driver is about to learn of it

    @property
    def busy(self) -> bool:
        """Whether something is about to happen by itself."""
        return self.opening or self.losing or self.to_device > 0 or self.to_host > 0


class _HostPort(SerialPort):
    """A serial port that is counted."""

    def __init__(self, watched: Watched, *rest: Any) -> None:
        self._watched = watched
        super().__init__(*rest)

    def open(self) -> int:
        self._watched.opening = True
        self._watched.number = super().open()
        return self._watched.number

    def write(self, data: bytes, urgent: bool = False) -> None:
        if self._watched.open and not self._watched.losing:
            self._watched.sent += data
            self._watched.to_device += len(data)
        super().write(data, urgent)

    def close(self) -> None:
        watched = self._watched
        watched.open = watched.opening = watched.losing = False
        watched.to_host = watched.number = 0
        super().close()


class _DeviceSocket(PtySocket):
    """A pty that is counted."""

    def __init__(self, watched: Watched, *rest: Any) -> None:
        self._watched = watched
        super().__init__(*rest)

    def write(self, data: bytes) -> None:
        if self._watched.open and not self._watched.losing:
            self._watched.to_host += len(data)
        super().write(data)

    def unplug(self) -> None:
        watched = self._watched
        watched.to_device = watched.to_host = 0
        watched.losing = watched.open
        super().unplug()


class WiredWorld(Conversation):
    """Both organs, a real pty between them."""

    _living: list[WiredWorld] = []

    def __init__(
        self,
        home: Path,
        driver: dict[str, Any] | None = None,
        mock: dict[str, Any] | None = None,
        seed: int = 1,
    ) -> None:
        self.now = 1000.0
        self.said: list[Any] = []
        self.cable = Watched()
        self._queue: queue.SimpleQueue[Callable[[], Iterable[Any]]] = queue.SimpleQueue()
        link = home / 'run' / 'body.pty'
        self._socket = _DeviceSocket(
            self.cable, link, lambda data: self._queue.put(partial(self._to_device, data))
        )
        self.mock = MockBody(
            MockBodyConfig(**({'noise': 0.0} | (mock or {}))),
            random.Random(seed),
            self._socket,
            home / 'run' / 'device.jsonl',
        )
        self._port = _HostPort(
            self.cable,
            partial(resolve, 'mock', '', link),
            lambda event: self._queue.put(partial(self._to_host, event)),
            921_600,
        )
        config = StackChanConfig(**({'port': 'mock'} | (driver or {})))
        self.driver = StackChan(config, over_line(config, self._port, random.Random(seed + 1)))
        self._living.append(self)
        self.take(self.mock.start(self.now))
        self.take(self.driver.start(self.now))

    def _to_device(self, data: bytes) -> Iterable[Any]:
        self.cable.to_device = max(0, self.cable.to_device - len(data))
        return self.mock.on_bytes(data, self.now)

    def _to_host(self, event: LinkNews) -> Iterable[Any]:
        if event.opening != self.cable.number:
            return ()
        if isinstance(event, Received):
            self.cable.to_host = max(0, self.cable.to_host - len(event.data))
        else:
            self.cable.opening = self.cable.losing = False
            self.cable.open = isinstance(event, Up)
            self.cable.to_device = self.cable.to_host = 0
        return self.driver.on_news(event, self.now)

    def until(self, done: Callable[[], bool], longest: float = 60.0) -> None:
        end = self.now + longest
        while not done():
            assert self.now < end, f'not within {longest} s'
            self._tick(end)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        while self.now < end:
            self._tick(end)

    def _tick(self, end: float) -> None:
        if self.cable.busy or not self._queue.empty():
            work = self._queue.get(timeout=_LONGEST)
            self.now += DELAY
            self.take(work())
            return
        due = min(self.driver.due(), self.mock.due(), end)
        self.now = max(self.now + 1e-6, due)
        for organ in (self.driver, self.mock):
            if self.now >= organ.due():
                self.take(organ.step(self.now))

    def close(self) -> None:
        """End both and their threads."""
        self.take(self.driver.stop(self.now))
        self.take(self.mock.stop(self.now))
        self._port.shut_down()
        self._socket.close()
        self.mock.close()

    @classmethod
    def close_all(cls) -> None:
        """End all worlds that are left, also those of a failed test."""
        while cls._living:
            cls._living.pop().close()
