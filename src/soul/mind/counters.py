"""The mind's ever-growing counters, from which others reconcile what they missed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from soul.mind.config import MindConfig
from soul.mind.providers.base import Usage
from soul.signals import Turn


@dataclasses.dataclass
class Counters:
    """Totals since her birth."""

    tokens: int = 0
    cost: float = 0.0  # USD
    wakings: int = 0

    def add(self, usage: Usage, cost: float) -> None:
        """Count one call of the model."""
        self.tokens += usage.tokens_in + usage.tokens_out
        self.cost += cost

    def spend(self, turn: Turn) -> None:
        """Count what a turn of an earlier life used, if its calls are not counted yet."""
        self.tokens += turn.tokens_in + turn.tokens_out
        self.cost += turn.cost

    def add_turn(self, turn: Turn) -> None:
        """Count a turn that an earlier life ended but had not counted yet."""
        self.spend(turn)
        self.wakings += 1

    def memory(self) -> dict[str, Any]:
        """What must survive."""
        return dataclasses.asdict(self)

    @classmethod
    def from_memory(cls, memory: Mapping[str, Any] | None) -> Counters:
        """Go on counting."""
        return cls(**memory) if memory else cls()


def cost(usage: Usage, config: MindConfig) -> float:
    """Return what a call costs, USD."""
    fresh = usage.tokens_in - usage.cached
    return (
        fresh * config.price_in
        + usage.cached * config.price_cached
        + usage.tokens_out * config.price_out
    ) / 1e6
