"""One connection of a device that dials, as the device sees it: its messages, out and in."""

from __future__ import annotations

import json
import math
import random
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from soul.mock_body.faults import Faults

_HELLO_SECONDS = 10.0  # without the host's hello by then it hangs up


class PhoneLine(Protocol):
    """The telephone, so to speak."""

    def write(self, message: str | bytes) -> None:
        """Say something; never blocks."""

    def clear(self) -> None:
        """Drop what has not been sent yet."""

    def boot(self) -> None:
        """Begin anew, as after a boot."""

    def wake(self) -> None:
        """Dial, where it does not by itself."""

    def hang_up(self, cut: bool) -> None:
        """Hang up, in all manners or as if the cable were cut."""

    def post(self, url: str, token: str, question: str, jpeg: bytes, id: int) -> None:
        """Post a photo; the answer comes as an event."""


class PhoneSession:
    """Messages of a connection, with what faults do to them.

    Attributes
    ----------
    call
        Number of the connection; 0: there is none.
    sid
        The session that the host has given it; empty without one.
    heard, unsound
        How many messages have come, and how many of them made no sense.
    """

    def __init__(self, line: PhoneLine, faults: Faults, rng: random.Random) -> None:
        self.call = 0
        self.sid = ''
        self.heard = self.unsound = 0
        self._line = line
        self._faults = faults
        self._rng = rng
        self._dialled = -math.inf
        self._inbox: deque[tuple[float, Mapping[str, Any]]] = deque()

    def begin(self, call: int, now: float) -> None:
        """A connection is there; nobody has said hello."""
        self.call, self._dialled = call, now

    def end(self) -> None:
        """It has ended: nothing of it counts any more."""
        self.call, self.sid = 0, ''
        self._inbox.clear()
        self._line.clear()

    def overdue(self, now: float) -> bool:
        """Whether the host should have said hello."""
        return bool(self.call and not self.sid) and now >= self._dialled + _HELLO_SECONDS

    def due(self) -> float:
        """When something has to be done."""
        due = self._dialled + _HELLO_SECONDS if self.call and not self.sid else math.inf
        return min(due, self._inbox[0][0] + self._faults.stall) if self._inbox else due

    def send(self, kind: str, **fields: Any) -> None:
        """Send a message."""
        faults = self._faults
        if faults.mute or not self.call:
            return
        if self.sid:
            # A rotten one is of an earlier session.
            fields['session_id'] = 'stale' if faults.rotten_session else self.sid
        text = json.dumps({'type': kind, **fields})
        if faults.corrupt and self._rng.random() < faults.corrupt:
            text = text[: self._rng.randrange(len(text))]
        self._line.write(text)

    def take(self, text: str, now: float) -> None:
        """Take a message of the host."""
        self.heard += 1
        try:
            data = json.loads(text)
        except ValueError:
            data = None
        if isinstance(data, dict):
            self._inbox.append((now, data))
        else:
            self.unsound += 1

    def messages(self, now: float) -> Iterator[Mapping[str, Any]]:
        """Yield the messages that are to be worked on, in order."""
        while self._inbox and self._inbox[0][0] + self._faults.stall <= now:
            _, data = self._inbox.popleft()
            if data.get('type') == 'hello':
                self.sid = str(data.get('session_id', ''))
                self._faults.rotten_session = False  # a fresh one is sound again
                if self.sid:
                    yield data
            elif not self.sid or data.get('session_id') not in (None, self.sid):
                self.unsound += 1
            else:
                yield data
