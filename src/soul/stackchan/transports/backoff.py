"""When to connect anew: soon at first, then ever later."""

from __future__ import annotations

import math
import random

from soul.core.backoff import Backoff


class JitteredBackoff:
    """Waits that double, with jitter.

    Parameters
    ----------
    low, high
        Shortest and longest wait, s.
    """

    def __init__(self, low: float, high: float, rng: random.Random) -> None:
        self.due = math.inf
        self._backoff = Backoff(low, high)
        self._rng = rng

    def begin_anew(self) -> None:
        """All is well: the next wait is the shortest."""
        self._backoff.reset()

    def wait(self, now: float) -> None:
        """Begin to wait."""
        self.due = now + self._backoff.next() * self._rng.uniform(0.75, 1.0)

    def end(self) -> None:
        """Wait no more."""
        self.due = math.inf
