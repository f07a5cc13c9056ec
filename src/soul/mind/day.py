"""What is left of her day: the guard's word on it, and what was used since it spoke."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from soul.mind.counters import Counters
from soul.signals import Energy


@dataclasses.dataclass(frozen=True)
class Expense:
    """What something costs of a day: weighed tokens, USD and wakings."""

    tokens: float = 0.0
    cost: float = 0.0
    wakings: float = 0.0

    def __add__(self, other: Expense) -> Expense:
        return Expense(
            self.tokens + other.tokens, self.cost + other.cost, self.wakings + other.wakings
        )

    def __sub__(self, other: Expense) -> Expense:
        return Expense(
            self.tokens - other.tokens, self.cost - other.cost, self.wakings - other.wakings
        )


class Day:
    """The limits of her day and how much of it is used.

    The guard owns the day; between two words of it the mind's own counters go on, so that no
    request slips in between. Without any word of a guard nothing is known, and nothing limited.

    Parameters
    ----------
    counters
        What the mind has used since her birth.
    memory
        What :meth:`memory` returned in an earlier life: until the guard speaks, its last word
        holds.
    """

    def __init__(self, counters: Counters, memory: Mapping[str, Any] | None = None) -> None:
        self._counters = counters
        self._energy = _energy_from(memory)
        self._refused: set[bool] = set()  # for whom something was refused: (not) her people
        self.open = Expense()  # requests and wakings in progress

    def memory(self) -> dict[str, Any] | None:
        """Return the guard's last word as plain values; None: it has not spoken."""
        return dataclasses.asdict(self._energy) if self._energy is not None else None

    def hear(self, energy: Energy) -> None:
        """Take the guard's word."""
        before = self._energy
        if before is None or _limits(before) != _limits(energy) or energy.level > before.level:
            self._refused.clear()
        self._energy = energy

    @property
    def known(self) -> bool:
        """Whether a guard has spoken."""
        return self._energy is not None

    @property
    def resets_at(self) -> float:
        """When the next day begins, s of the node's clock; 0: not known."""
        return self._energy.resets_at if self._energy is not None else 0.0

    def used(self) -> Expense:
        """Return what is used of the day, what is in progress included."""
        energy = self._energy or Energy()
        now = self._counters
        since = [
            total - counted if total >= counted else total  # she has lost her counters
            for total, counted in (
                (now.tokens, energy.counted_tokens),
                (now.cost, energy.counted_cost),
                (now.wakings, energy.counted_wakings),
            )
        ]
        guarded = Expense(energy.tokens_used, energy.cost_used, energy.wakes_used)
        return guarded + Expense(*since) + self.open

    def refusal(self, wanted: Expense, trusted: bool) -> str:
        """Say what is too little for an expense; empty if it fits.

        Parameters
        ----------
        trusted
            Whether it is for her people, for whom the reserve is kept.
        """
        energy = self._energy
        if energy is None:
            return ''
        if self.spent(trusted):
            return "the day's strength"
        part = 1.0 if trusted else 1.0 - energy.reserve
        after = self.used() + wanted
        for name, amount, limit in (
            ('tokens', after.tokens, energy.tokens_limit),
            ('USD', after.cost, energy.cost_limit),
            ('wakings', after.wakings, energy.wakes_limit),
        ):
            if limit > 0 and amount > limit * part:
                self._refused.add(trusted)
                return f"the day's {limit:g} {name}"
        return ''

    def spent(self, trusted: bool) -> bool:
        """Whether nothing more is allowed until the guard says otherwise."""
        energy = self._energy
        if energy is None:
            return False
        return (energy.reserve_spent if trusted else energy.spent) or trusted in self._refused


def _limits(energy: Energy) -> tuple[float, ...]:
    return (energy.tokens_limit, energy.cost_limit, energy.wakes_limit, energy.resets_at)


def _energy_from(plain: Mapping[str, Any] | None) -> Energy | None:
    """Read what was kept; what cannot be the guard's word is none."""
    if not isinstance(plain, Mapping):
        return None
    names = {field.name: field.type for field in dataclasses.fields(Energy)}
    values = {name: value for name, value in plain.items() if name in names}
    numbers = [v for v in values.values() if not isinstance(v, bool)]
    if not all(isinstance(n, (int, float)) and 0 <= n < 2**63 for n in numbers):
        return None
    return Energy(**values)
