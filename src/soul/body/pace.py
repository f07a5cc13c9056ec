"""When the body is sampled: soon after a change, ever more rarely while nothing happens."""

from __future__ import annotations

import math

#: Shortest time between two samples where a sense appears, s: many appear together.
_GATHER = 1.0


class Pace:
    """The time of the next sample.

    Parameters
    ----------
    shortest, longest
        Bounds of the interval, s.
    growth
        Factor of the interval after a sample that changed nothing.
    """

    def __init__(self, shortest: float, longest: float, growth: float) -> None:
        self._shortest = shortest
        self._longest = max(shortest, longest)
        self._growth = growth
        self._sampled = -math.inf
        self.interval = shortest
        self.due = -math.inf  # of the next sample, s of the node's clock

    def sampled(self, changed: bool, now: float) -> None:
        """A sample has been taken; `changed`: a feeling is another than in the one before."""
        grown = min(self._longest, self.interval * self._growth)
        self.interval = self._shortest if changed else grown
        self._sampled = now
        self.due = now + self.interval

    def hurry(self, now: float) -> None:
        """Take the next sample at once."""
        self.due = min(self.due, now)

    def gather(self, now: float) -> None:
        """Sample soon, together with whatever else appears."""
        self.due = min(self.due, max(now, self._sampled + _GATHER))

    def clock_went_back(self, now: float) -> None:
        """What lies ahead lies as far ahead as ever."""
        self.due = min(self.due, now + self.interval)
        self._sampled = min(self._sampled, now)
