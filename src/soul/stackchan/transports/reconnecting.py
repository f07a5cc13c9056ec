"""When to connect anew: soon at first, then ever later, and never all at once."""

from __future__ import annotations

import math
import random

from soul.core.backoff import Backoff


class Reconnecting:
    """Pauses that double, with jitter.

    Parameters
    ----------
    low, high
        Shortest and longest pause, s; each is shortened by up to a quarter.

    Attributes
    ----------
    due
        When the pause ends, s of the driver's clock; inf: there is none.
    """

    def __init__(self, low: float, high: float, rng: random.Random) -> None:
        self.due = math.inf
        self._pauses = Backoff(low, high)
        self._rng = rng

    def begin_anew(self) -> None:
        """All is well: the next pause is the shortest."""
        self._pauses.reset()

    def wait(self, now: float) -> None:
        """Begin a pause before the next attempt to connect."""
        self.due = now + self._pauses.next() * self._rng.uniform(0.75, 1.0)

    def end(self) -> None:
        """End the pause: it is connected, or need not be."""
        self.due = math.inf
