"""What her pages and her memory have for a moment."""

from __future__ import annotations

import random
from typing import Protocol

from soul.mind.moment import Inner
from soul.mind.shares import Shares
from soul.mind.words import Words
from soul.signals import View


class Inside(Protocol):
    """Where the inner part of a moment comes from."""

    def inner(self, view: View, now: float, rng: random.Random) -> Inner:
        """Return what belongs to what she sees now."""

    def open_loops(self, now: float) -> int:
        """Count what she keeps in mind."""


class Bare:
    """An inside without pages: only the thoughts she wants to share."""

    def __init__(self, shares: Shares, words: Words) -> None:
        self._shares = shares
        self._words = words

    def inner(self, view: View, now: float, rng: random.Random) -> Inner:
        """Return the thoughts she wants to share."""
        return Inner(share=self._shares.text(now, self._words))

    def open_loops(self, now: float) -> int:
        """Count them."""
        return len(self._shares)
