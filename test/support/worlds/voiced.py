"""Driver, a device that talks, and voice and ears in a process of their own."""

from __future__ import annotations

import contextlib
import queue
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from soul.core.organ import Ask, Finish, Progress, Report
from soul.signals import Connection, SayGoal
from soul.stackchan.config import StackChanConfig
from soul.stackchan.pairing.admission import Admission
from soul.stackchan.pairing.register import Register
from soul.stackchan.stackchan import StackChan
from soul.stackchan.transports.choose import over_body
from soul.stackchan.transports.link import LinkNews
from soul.stackchan.transports.xiaozhi.server import Listening, XiaozhiServer
from soul.stackchan.voicing import connect_voice
from soul.voice.client import command
from support.talking_device import TalkingDevice

LONGEST = 30.0


class VoicedWorld:
    """They live on the real clock, over a real WebSocket and real pipes.

    Parameters
    ----------
    words
        The command of voice and ears; None: the real one.
    device
        Options of the device.
    """

    def __init__(
        self,
        home: Path,
        words: Sequence[str] | None = None,
        device: dict[str, Any] | None = None,
        **config: Any,
    ) -> None:
        self.said: list[Any] = []
        self._work: queue.SimpleQueue[Callable[[float], Any]] = queue.SimpleQueue()
        self._listens = 0
        given = StackChanConfig(transport='xiaozhi', voice=True, backoff_min=0.05, **config)
        admission = Admission(Register(home / 'paired.json'), '')
        self.server = XiaozhiServer(
            Listening(announces=False), admission, self._know, self._deliver
        )
        port = over_body(given, self.server, random.Random(1))
        self.driver = StackChan(given, port)
        self.client = connect_voice(given, self.driver, words or command(given), self._work.put)
        for outputs in (self.driver.start, self.driver.configure, self.driver.activate):
            self.take(outputs(self.now))
        self.device = TalkingDevice(self._url, **(device or {}))
        self.until(lambda: self.driver.port.joined)

    @property
    def now(self) -> float:
        return time.monotonic()

    def _know(self, number: int) -> None:
        self._listens = number

    def _url(self) -> str:
        if not self._listens:
            raise OSError('nobody listens yet')
        return f'ws://127.0.0.1:{self._listens}'

    def _deliver(self, news: LinkNews) -> None:
        self._work.put(lambda now: self.driver.on_news(news, now))

    def take(self, outputs: Any) -> None:
        for output in outputs:
            self.said.append(output)

    def until(self, done: Callable[[], Any], longest: float = LONGEST) -> None:
        """Let the driver live until something is so."""
        end = self.now + longest
        while not done():
            assert self.now < end, f'not within {longest} s'
            due = max(0.0, min(self.driver.due(), end, self.now + 0.02) - self.now)
            with contextlib.suppress(queue.Empty):
                self.take(self._work.get(timeout=due)(self.now))
            if self.now >= self.driver.due():
                self.take(self.driver.step(self.now))

    def live(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        self.until(lambda: self.now >= end)

    def say(self, text: str, act: str = '') -> str:
        """Let her say something; returns the handle."""
        handle = f'say{len(self.said)}'
        self.take(self.driver.perform_say(SayGoal(act, text), handle, self.now))
        return handle

    def ended(self, handle: str) -> Finish | None:
        return next(
            (one for one in self.said if isinstance(one, Finish) and one.handle == handle), None
        )

    def said_out(self, handle: str) -> Any:
        """Wait until something has been said; returns its result."""
        self.until(lambda: self.ended(handle))
        found = self.ended(handle)
        assert found is not None
        return found.result

    def progress(self, handle: str) -> list[str]:
        return [
            one.feedback.state
            for one in self.said
            if isinstance(one, Progress) and one.handle == handle
        ]

    @property
    def messages(self) -> list[Any]:
        """What was put at her door."""
        return [post.message for post in self.posts]

    @property
    def posts(self) -> list[Any]:
        """How it was put there."""
        return [one.request for one in self.said if isinstance(one, Ask) and one.to == 'door/post']

    @property
    def reports(self) -> list[str]:
        return [one.text for one in self.said if isinstance(one, Report)]

    @property
    def connected(self) -> bool:
        told = [one for one in self.said if isinstance(one, Connection)]
        return bool(told and told[-1].connected)

    def close(self) -> None:
        self.device.close()
        self.client.close()
        self.take(self.driver.stop(self.now))
        self.server.shut_down()
