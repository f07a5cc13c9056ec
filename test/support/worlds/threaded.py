"""Driver and simulated device over real sockets, with the real threads and the real clock."""

from __future__ import annotations

import queue
import random
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from soul.mock_body.config import MockBodyConfig
from soul.mock_body.mock_body import MockBody
from soul.stackchan.config import StackChanConfig
from soul.stackchan.stackchan import StackChan
from soul.stackchan.transports.choose import over_body, over_line
from soul.stackchan.transports.link import LinkNews
from soul.stackchan.transports.remote import RemoteBody
from support.worlds.wire import Conversation

#: Nothing here takes longer; a test that waits so long has failed.
LONGEST = 30.0
FAST_MOCK = {'speech_rate': 1000.0, 'speech_pause': 0.05}
FAST_DRIVER = {'backoff_min': 0.05, 'backoff_max': 0.1}


class ThreadedWorld(Conversation):
    """Both organs on one thread, as two nodes would be on theirs; the ports have their own."""

    port: Any

    def __init__(self) -> None:
        self.said: list[Any] = []
        self._queue: queue.SimpleQueue[Callable[[float], Iterable[Any]]] = queue.SimpleQueue()

    def make_mock(self, config: dict[str, Any], socket: Any, home: Path, seed: int) -> None:
        """Switch the simulated device on."""
        self.mock = MockBody(
            MockBodyConfig(**(FAST_MOCK | config)),
            random.Random(seed),
            socket,
            home / 'run' / 'device.jsonl',
        )
        self.take(self.mock.start(self.now))

    def make_driver(self, config: dict[str, Any], port: Any, seed: int) -> None:
        """Begin the driver's life."""
        self.port = port
        given, rng = StackChanConfig(**(FAST_DRIVER | config)), random.Random(seed + 1)
        over = over_body if isinstance(port, RemoteBody) else over_line
        self.driver = StackChan(given, over(given, port, rng))
        self.take(self.driver.start(self.now))

    def deliver(self, news: LinkNews) -> None:
        """Take what a port tells on its thread."""
        self.inject(lambda now: self.driver.on_news(news, now))

    @property
    def now(self) -> float:  # type: ignore[override]
        return time.monotonic()

    def inject(self, work: Callable[[float], Iterable[Any]]) -> None:
        self._queue.put(work)

    def until(self, done: Callable[[], bool], longest: float | None = None) -> None:
        """Let both live until something is so."""
        longest = LONGEST if longest is None else longest
        end = self.now + longest
        while not done():
            assert self.now < end, f'not within {longest} s'
            self.turn(end)

    def due(self) -> float:
        """When one of them has something to do."""
        return min(self.driver.due(), self.mock.due())

    def turn(self, end: float) -> None:
        """Do the next thing."""
        try:
            work = self._queue.get(timeout=max(0.0, min(self.due(), end) - self.now))
        except queue.Empty:
            self.step()
        else:
            self.take(work(self.now))

    def step(self) -> None:
        """Do what is due."""
        for organ in (self.driver, self.mock):
            if self.now >= organ.due():
                self.take(organ.step(self.now))

    def close(self) -> None:
        """End both."""
        self.take(self.driver.stop(self.now))
        self.take(self.mock.stop(self.now))
        self.port.shut_down()
        self.mock.close()
