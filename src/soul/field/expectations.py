"""What she herself expects to happen, which comes true or breaks (SoulScript Loop, section 2)."""

from __future__ import annotations

import math
from collections.abc import Iterable

from soul.field.expectation import Expectation
from soul.field.memory import ExpectationsMemory

#: How much a broken expectation adds to the surprise of a tick.
BROKEN_SURPRISE = 0.7
#: So many may be open at a time.
MOST = 12
SHORTEST, LONGEST = 1.0, 1440.0  # minutes: up to a day
DEFAULT_MINUTES = 30.0


def within_limits(minutes: float) -> float:
    """Bring the time of an expectation within its limits, minutes."""
    if minutes == 0.0 or minutes != minutes:
        return DEFAULT_MINUTES
    return min(LONGEST, max(SHORTEST, minutes))


class Expectations:
    """What she expects and has not seen come true or break, by id."""

    def __init__(self) -> None:
        self._open: list[Expectation] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._open)

    def expect(self, text: str, channel: str, minutes: float, now: float) -> Expectation:
        """Expect something.

        Parameters
        ----------
        minutes
            Within how long; 0 or NaN: half an hour. What is beyond 1 to 1440 becomes that, see
            :func:`within_limits`.

        Raises
        ------
        ValueError
            Saying what is wrong with it.
        """
        minutes = within_limits(minutes)
        if not channel:
            raise ValueError('expect needs a channel: door, bench, body or the name of an event')
        if len(self._open) >= MOST:
            raise ValueError(f'{MOST} expectations are open already')
        self._count += 1
        made = Expectation(f'x{self._count}', text, channel, now, now + 60.0 * minutes)
        self._open.append(made)
        return made

    def happened(self, events: Iterable[str], now: float) -> list[Expectation]:
        """Return, and close, what these events make come true; up to the deadline itself."""
        events = tuple(events)
        met = [e for e in self._open if now <= e.deadline and any(map(e.met_by, events))]
        self._open = [e for e in self._open if e not in met]
        return met

    def broken(self, now: float) -> list[Expectation]:
        """Return, and close, what did not happen in time."""
        late = [e for e in self._open if now >= e.deadline]
        self._open = [e for e in self._open if now < e.deadline]
        return late

    def due(self) -> float:
        """When the next one breaks, s; inf: never."""
        return min((e.deadline for e in self._open), default=math.inf)

    def forget(self, expectation_id: str) -> None:
        """Expect it no more; for example because she let go of it."""
        self._open = [e for e in self._open if e.id != expectation_id]

    def shift(self, seconds: float) -> None:
        """Move all of them in time: the clock was set."""
        self._open = [
            Expectation(e.id, e.text, e.channel, e.created + seconds, e.deadline + seconds)
            for e in self._open
        ]

    def memory(self) -> ExpectationsMemory:
        """Return what must survive."""
        return ExpectationsMemory(self._count, tuple(self._open))

    def restore(self, memory: ExpectationsMemory) -> None:
        """Expect what was expected."""
        self._count = memory.count
        self._open = [e for e in memory.open if math.isfinite(e.deadline)][:MOST]
