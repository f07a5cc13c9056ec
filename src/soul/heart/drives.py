"""Drives: pressures that build up by themselves and are eased by what she does.

A drive of source `time` nears 1 as ``d' = 1 - (1 - d) exp(-dt / tau)`` (Heart and Twin); asleep
at 0.3 of the speed. The others have an amount of their own: hours since contact, wakings without
anything new, open loops, used-up energy. A drive's *share*, 0..1, is what counts in the mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from soul.heart.tables import DriveKind
from soul.text.numbers import number

#: Drives grow at this fraction of their speed while she is asleep (Heart and Twin).
ASLEEP_SPEED = 0.3
HOUR = 3600.0
#: Largest amount of a drive that is no level, in its own unit.
MOST = 1e9


def approach(level: float, hours: float, tau_hours: float) -> float:
    """Level of a drive after some hours, 0..1: ``1 - (1 - d) exp(-dt / tau)``.

    Negative time counts as none.
    """
    return 1.0 - (1.0 - level) * math.exp(-max(0.0, hours) / tau_hours)


def weighted_mean(pairs: Iterable[tuple[float, float]]) -> float:
    """Mean of (weight, share) pairs, 0..1; 0 if nothing has a weight."""
    total = weights = 0.0
    for weight, share in pairs:
        total += weight * share
        weights += weight
    return min(1.0, max(0.0, total / weights)) if weights > 0.0 else 0.0


class Drives:
    """The amounts of all drives.

    Parameters
    ----------
    kinds
        The drives by name.
    amounts
        Amounts from an earlier life; what is missing begins anew, what is no drive any more is
        forgotten.
    """

    def __init__(
        self, kinds: Mapping[str, DriveKind], amounts: Mapping[str, float | None] | None = None
    ) -> None:
        self.kinds = kinds
        known = amounts or {}
        self.amounts = {
            name: number(
                known.get(name), 0.0, 1.0 if kind.source == 'time' else MOST, kind.initial
            )
            for name, kind in kinds.items()
        }

    def live(self, seconds: float, asleep: bool) -> None:
        """Let drives that grow by themselves grow for so many seconds."""
        hours = max(0.0, seconds) / HOUR
        speed = ASLEEP_SPEED if asleep else 1.0
        for name, kind in self.kinds.items():
            if kind.source == 'time':
                self.amounts[name] = approach(self.amounts[name], hours * speed, kind.tau_hours)
            elif kind.source == 'contact':
                self.amounts[name] += hours

    def nudge(self, name: str, change: float) -> None:
        """Add to a level; it stays within 0..1."""
        self.set(name, self.amounts.get(name, 0.0) + change)

    def set(self, name: str, level: float) -> None:
        """Set the level of a drive of source `time`; other names and NaN are ignored."""
        kind = self.kinds.get(name)
        if kind is not None and kind.source == 'time' and not math.isnan(level):
            self.amounts[name] = min(1.0, max(0.0, level))

    def feed(self, source: str, amount: float) -> bool:
        """Set the amount of the drives with another source; True if that changed any."""
        changed = False
        for name, kind in self.kinds.items():
            if kind.source == source and source != 'time' and self.amounts[name] != amount:
                self.amounts[name] = amount
                changed = True
        return changed

    def ease(self, acts: Iterable[str], spared: Iterable[str] = ()) -> None:
        """Feel what has been done; drives in `spared` keep their level."""
        done = set(acts)
        for name, kind in self.kinds.items():
            if name in spared:
                continue
            if done.intersection(kind.settled_by):
                self.amounts[name] = 0.0
            eased = sum(amount for act, amount in kind.eased_by.items() if act in done)
            if eased:
                self.amounts[name] = max(0.0, self.amounts[name] - eased)

    def share(self, name: str) -> float:
        """How much of a drive there is, 0..1."""
        kind, amount = self.kinds[name], self.amounts[name]
        return amount if kind.source == 'time' else min(1.0, max(0.0, amount / kind.full_at))

    def mean(self) -> float:
        """Weighted mean of the drives that raise the wake rate, 0..1."""
        return weighted_mean((k.weight, self.share(n)) for n, k in self.kinds.items() if k.weight)
