"""The order of her turns: numbers that survive, so that no wake is lived twice."""

from __future__ import annotations

import random

from soul.signals import WakeId, newer


class TurnIds:
    """Epoch and sequence of the newest turn, and the newest wake begun.

    Parameters
    ----------
    epoch, sequence
        Of the newest turn of an earlier life; epoch 0: this is the first.
    begun
        The newest wake that has begun: (epoch, sequence).
    """

    def __init__(
        self, epoch: int, sequence: int, begun: tuple[int, int], rng: random.Random
    ) -> None:
        self.epoch = epoch or rng.getrandbits(48) | 1
        self.sequence = sequence
        self.begun = WakeId(*begun)
        #: The newest wake of which the disk knows that it has begun: what others are told.
        self.told = self.begun

    def next(self) -> int:
        """Return the number of a new turn."""
        self.sequence += 1
        return self.sequence

    def begin(self, wake: WakeId) -> None:
        """A wake has begun."""
        if newer(wake, self.begun):
            self.begun = wake

    def on_disk(self, wake: WakeId) -> None:
        """The disk knows that a wake has begun."""
        if newer(wake, self.told):
            self.told = wake

    def is_new(self, wake: WakeId) -> bool:
        """Whether a wake has not begun yet."""
        return bool(wake.sequence) and newer(wake, self.begun)
