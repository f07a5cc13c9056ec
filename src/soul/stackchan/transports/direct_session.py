"""A port to a body that is reached without a wire of ours: by HTTP, or because it has dialled in.

There is nothing to join, to acknowledge by hand or to repeat: its thread tells when the body is
there, what it tells, and when it is gone.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Protocol

from soul.stackchan.transports.base import PortBase
from soul.stackchan.transports.commands import BodyCommand, SayCommand
from soul.stackchan.transports.events import Answered, Heard, Left, PortEvent
from soul.stackchan.transports.link import Broke, LinkNews, Lost, Met, Spoke
from soul.stackchan.transports.port import PortState

#: Whether the body lives, its thread finds out; a thread that was held up itself loses nobody, s.
SILENCE = 60.0


class DirectBody(Protocol):
    """What is behind the port, on a thread of its own. None of it blocks."""

    def open(self) -> int:
        """Begin to look for the body; returns the number of this opening, from 1."""

    def perform(self, id: str, command: BodyCommand) -> None:
        """Let it do something; what becomes of it is told as news."""

    def halt(self) -> None:
        """Stop everything at once."""

    def close(self) -> None:
        """Leave it, whatever is under way."""


class DirectSession(PortBase):
    """A :class:`~soul.stackchan.transports.port.BodyPort` to such a body.

    Parameters
    ----------
    backoff
        Shortest and longest wait before looking for it anew, s.
    """

    def __init__(self, body: DirectBody, backoff: tuple[float, float], rng: random.Random) -> None:
        super().__init__(backoff, rng)
        self._body = body
        self._count = 0  # of the commands

    def take(self, news: LinkNews, now: float) -> Iterator[PortEvent]:
        """Take what the body's thread has found out; what is of an earlier opening is void."""
        if news.opening != self._opening:
            return
        self.heard = now
        match news:
            case Met(about=about):
                if self.joined:
                    yield Left('it has dialled anew', True, again=True)
                yield self._join(about)
            case Spoke(said=said, up=up):
                yield said if isinstance(said, Answered) else Heard(said, up)
            case Broke(error=error):
                raise error
            case Lost(reason=reason, asleep=asleep):
                yield from self._close(reason, now, asleep)

    def step(self, now: float) -> Iterator[PortEvent]:
        """Do what is due."""
        self._open_if_due(now)
        if self.joined and now - self.heard >= SILENCE:
            yield from self._close(f'nothing has been heard of it for {SILENCE:g} s', now)

    def due(self) -> float:
        """When :meth:`step` has something to do next."""
        if self.state is PortState.CLOSED:
            return self._pause.due
        return self.heard + SILENCE if self.joined else math.inf

    def send(self, command: BodyCommand, now: float) -> str:
        """Let the body do something; returns the id of the command."""
        id = command.id if isinstance(command, SayCommand) else ''
        if not id:
            self._count += 1
            id = f'{self._opening:x}.{self._count:x}'
        self._body.perform(id, command)
        return id

    def halt(self) -> None:
        """Stop everything at once."""
        self._body.halt()

    def figures(self) -> dict[str, str]:
        """Return nothing: there is no wire of ours to count on."""
        return {}

    def trouble(self) -> str:
        """Return nothing: whatever is wrong ends the port."""
        return ''

    def _open_line(self) -> int:
        return self._body.open()

    def _close_line(self) -> None:
        self._body.close()
