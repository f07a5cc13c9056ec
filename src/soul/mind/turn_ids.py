"""The order of her turns: numbers that survive, so that no wake is lived twice."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from soul.signals import WakeId, newer


class TurnIds:
    """Epoch and sequence of the newest turn, and the newest wake begun.

    Parameters
    ----------
    memory
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(self, memory: Mapping[str, Any], rng: random.Random) -> None:
        self.epoch: int = memory.get('epoch') or rng.getrandbits(48) | 1
        self.sequence: int = memory.get('sequence', 0)
        self.begun = WakeId(*memory.get('begun', (0, 0)))
        #: The newest wake of which the disk knows that it has begun: what others are told.
        self.told = self.begun

    def memory(self) -> dict[str, Any]:
        """What must survive."""
        return {
            'epoch': self.epoch,
            'sequence': self.sequence,
            'begun': [self.begun.epoch, self.begun.sequence],
        }

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
