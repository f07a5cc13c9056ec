"""Pauses that double while something keeps failing or is not answered."""

from __future__ import annotations

#: More doublings change nothing any more.
MOST_DOUBLINGS = 32


class Backoff:
    """Counts attempts and says how long to wait after each.

    Parameters
    ----------
    first
        The first pause, s.
    longest
        No pause is longer, s.
    """

    def __init__(self, first: float, longest: float) -> None:
        self._first = first
        self._longest = longest
        self.attempts = 0

    def next(self) -> float:
        """Count an attempt; returns the pause after it, s."""
        pause = min(self._first * 2.0 ** min(self.attempts, MOST_DOUBLINGS), self._longest)
        self.attempts += 1
        return pause

    def reset(self) -> None:
        """Begin with the first pause again."""
        self.attempts = 0
