"""When to connect anew: soon at first, then ever later."""

from __future__ import annotations

import math
import random


class Backoff:
    """Waits that double, with jitter.

    Parameters
    ----------
    low, high
        Shortest and longest wait, s.
    """

    def __init__(self, low: float, high: float, rng: random.Random) -> None:
        self.due = math.inf
        self._low = low
        self._high = high
        self._rng = rng
        self._attempts = 0

    def begin_anew(self) -> None:
        """All is well: the next wait is the shortest."""
        self._attempts = 0

    def wait(self, now: float) -> None:
        """Begin to wait."""
        longest = min(self._high, self._low * 2.0 ** min(self._attempts, 16))
        self._attempts += 1
        self.due = now + longest * self._rng.uniform(0.75, 1.0)

    def end(self) -> None:
        """Wait no more."""
        self.due = math.inf
