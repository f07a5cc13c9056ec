"""Tells each change once: compares what is with what was told last.

What was told is remembered over restarts, so a nap invents no event, and what changed meanwhile
is told when it is next sensed. A sense that flaps is told at most once in a while, as it is then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from soul.signals import SenseEvent


@dataclass(frozen=True)
class _Wish:
    value: int
    event: Callable[[float], SenseEvent] | None


class Changes:
    """What was told of each sense, by name.

    Parameters
    ----------
    pause
        Shortest time between two events of one sense, s.
    told
        What :attr:`told` was when she fell asleep.
    """

    def __init__(self, pause: float, told: Mapping[str, int]) -> None:
        self.told = dict(told)
        self._pause = pause
        self._quiet: dict[str, float] = {}  # until when a sense is not told
        self._wishes: dict[str, _Wish] = {}

    def note(
        self,
        sense: str,
        value: int,
        now: float,
        event: Callable[[float], SenseEvent] | None = None,
    ) -> Iterator[SenseEvent]:
        """Compare a sense with what was told of it.

        Parameters
        ----------
        value
            What it is; not to be called for what is unknown, which is no change.
        event
            Makes the event of this change; None: there is nothing to tell about it.
        """
        self._wishes.pop(sense, None)
        if sense not in self.told:  # nobody knows what it was before
            self.told[sense] = value
        elif self.told[sense] != value:
            self._wishes[sense] = _Wish(value, event)
            yield from self._tell(sense, now)

    def step(self, now: float) -> Iterator[SenseEvent]:
        """Tell what had to wait."""
        for sense in list(self._wishes):
            yield from self._tell(sense, now)

    def due(self) -> float:
        """When something that waits may be told."""
        return min((self._quiet.get(s, -math.inf) for s in self._wishes), default=math.inf)

    def waive(self, *senses: str) -> None:
        """What waits to be told of these is no longer sensed."""
        for sense in senses or tuple(self._wishes):
            self._wishes.pop(sense, None)

    def clock_went_back(self, now: float) -> None:
        """A pause is never longer than a pause."""
        self._quiet = {s: min(until, now + self._pause) for s, until in self._quiet.items()}

    def _tell(self, sense: str, now: float) -> Iterator[SenseEvent]:
        wish = self._wishes[sense]
        if wish.event is not None:
            if now < self._quiet.get(sense, -math.inf):
                return
            self._quiet[sense] = now + self._pause
        del self._wishes[sense]
        self.told[sense] = wish.value
        if wish.event is not None:
            yield wish.event(now)
