"""Driver and simulated device over a real pty, with the real threads and the real clock."""

from __future__ import annotations

import queue
import random
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from wire_world import Conversation

from soul.mock_body.config import MockBodyConfig
from soul.mock_body.mock_body import MockBody
from soul.mock_body.pty import PtySocket
from soul.stackchan.config import StackChanConfig
from soul.stackchan.discovery import resolve
from soul.stackchan.link import tell
from soul.stackchan.serial_port import SerialPort
from soul.stackchan.stackchan import StackChan

#: Nothing here takes longer; a test that waits so long has failed.
LONGEST = 30.0


class PtyWorld(Conversation):
    """Both organs on one thread, as two nodes would be on theirs; the ports have their own."""

    def __init__(
        self,
        home: Path,
        driver: dict[str, Any] | None = None,
        mock: dict[str, Any] | None = None,
        seed: int = 1,
    ) -> None:
        self.link = home / 'run' / 'body.pty'
        self.said: list[Any] = []
        self._queue: queue.SimpleQueue[Callable[[float], Iterable[Any]]] = queue.SimpleQueue()
        self.socket = PtySocket(
            self.link, lambda data: self.inject(lambda now: self.mock.on_bytes(data, now))
        )
        self.mock = MockBody(
            MockBodyConfig(**({'speech_rate': 1000.0, 'speech_pause': 0.05} | (mock or {}))),
            random.Random(seed),
            self.socket,
            home / 'run' / 'device.jsonl',
        )
        config = StackChanConfig(
            **({'port': 'mock', 'backoff_min': 0.05, 'backoff_max': 0.1} | (driver or {}))
        )
        self.port = SerialPort(
            partial(resolve, config.port, config.usb_serial, self.link),
            lambda event: self.inject(
                lambda now: tell(self.driver, event, self.port.is_current, now)
            ),
            config.baud,
        )
        self.driver = StackChan(config, self.port, random.Random(seed + 1))
        self.take(self.mock.start(self.now))
        self.take(self.driver.start(self.now))

    @property
    def now(self) -> float:  # type: ignore[override]
        return time.monotonic()

    def inject(self, work: Callable[[float], Iterable[Any]]) -> None:
        self._queue.put(work)

    def until(self, done: Callable[[], bool], longest: float = LONGEST) -> None:
        """Let both live until something is so."""
        end = self.now + longest
        while not done():
            assert self.now < end, f'not within {longest} s'
            self.turn(end)

    def turn(self, end: float) -> None:
        """Do the next thing."""
        due = min(self.driver.due(), self.mock.due(), end)
        try:
            work = self._queue.get(timeout=max(0.0, due - self.now))
        except queue.Empty:
            if self.now >= self.driver.due():
                self.take(self.driver.step(self.now))
            if self.now >= self.mock.due():
                self.take(self.mock.step(self.now))
        else:
            self.take(work(self.now))

    def close(self) -> None:
        self.take(self.driver.stop(self.now))
        self.take(self.mock.stop(self.now))
        self.port.shut_down()
        self.socket.close()
        self.mock.close()
