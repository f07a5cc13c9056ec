"""Drives: pressures that build up by themselves and are eased by what she does.

A drive approaches 1 as d' = 1 - (1 - d) exp(-dt / tau); asleep at 0.3 of the speed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

#: Drives grow at this fraction of their speed while she is asleep.
ASLEEP_SPEED = 0.3


@dataclass(frozen=True)
class DriveKind:
    """One drive: its time constant in hours, its weight in the mean and its first level."""

    name: str
    tau_hours: float
    weight: float
    initial: float


KINDS = (
    DriveKind('curiosity', 3.0, 1.0, 0.5),
    DriveKind('expression', 6.0, 0.8, 0.3),
    DriveKind('longing', 10.0, 0.7, 0.3),
)
#: Weight of the open loops in the mean; their level is min(1, n / 5).
LOOPS_WEIGHT = 0.6
LOOPS_FULL = 5

#: What a sense event does to the drives.
EFFECTS: Mapping[str, Mapping[str, float]] = {
    'plugged': {'curiosity': 0.05},
    'unplugged': {'curiosity': 0.1},
    'light': {'curiosity': 0.1},
    'online': {'curiosity': 0.1},
    'moved': {'longing': 0.3, 'curiosity': 0.2},
    'picked_up': {'longing': 0.3, 'curiosity': 0.2},
    'screen_on': {'longing': 0.2},
    'hot': {},
    'low_battery': {},
    'offline': {},
}
OTHER_EVENT = {'curiosity': 0.05}


class Drives:
    """The levels of all drives, each 0..1."""

    def __init__(self, levels: Mapping[str, float] | None = None) -> None:
        self.levels = {kind.name: kind.initial for kind in KINDS}
        self.levels.update(levels or {})
        self.loops = 0

    def live(self, seconds: float, asleep: bool) -> None:
        """Let time pass."""
        hours = max(0.0, seconds) / 3600.0 * (ASLEEP_SPEED if asleep else 1.0)
        for kind in KINDS:
            level = self.levels[kind.name]
            self.levels[kind.name] = 1.0 - (1.0 - level) * math.exp(-hours / kind.tau_hours)

    def nudge(self, changes: Mapping[str, float]) -> None:
        """Add to levels; they stay within 0..1."""
        for name, change in changes.items():
            self.set(name, self.levels.get(name, 0.0) + change)

    def set(self, name: str, level: float) -> None:
        """Set a level; unknown names are ignored."""
        if name in self.levels:
            self.levels[name] = min(1.0, max(0.0, level))

    def mean(self) -> float:
        """Weighted mean of the drives that raise the wake rate, 0..1."""
        total = LOOPS_WEIGHT * min(1.0, self.loops / LOOPS_FULL)
        total += sum(kind.weight * self.levels[kind.name] for kind in KINDS)
        return total / (LOOPS_WEIGHT + sum(kind.weight for kind in KINDS))
