"""The mind's ever-growing counters, from which others reconcile what they missed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from soul.mind.providers.base import Usage
from soul.mind.providers.model_entry import Prices
from soul.signals import Turn

#: A token served from the provider's cache counts this part of one that is read anew: about
#: what providers ask for it.
CACHED_PART = 10


@dataclasses.dataclass
class Counters:
    """Totals since her birth."""

    tokens: int = 0  # see weighed()
    cost: float = 0.0  # USD
    wakings: int = 0
    #: What turns in progress have used: (tokens, USD) by their number. The ledger has it, too.
    unsettled: dict[int, tuple[int, float]] = dataclasses.field(default_factory=dict)

    def add(self, usage: Usage, cost: float, sequence: int = 0) -> None:
        """Count one call of the model.

        Parameters
        ----------
        sequence
            Of the turn in progress that made it; 0: none.
        """
        self.tokens += weighed(usage)
        self.cost += cost
        if sequence:
            tokens, dollars = self.unsettled.get(sequence, (0, 0.0))
            self.unsettled[sequence] = (tokens + weighed(usage), dollars + cost)

    def settled(self, sequence: int) -> None:
        """A turn has ended: what it used is counted for good."""
        self.unsettled.pop(sequence, None)

    def spend(self, turn: Turn) -> None:
        """Count what a turn of an earlier life used, if its calls are not counted yet."""
        self.add(Usage(turn.tokens_in, turn.tokens_cached, turn.tokens_out), turn.cost)

    def add_turn(self, turn: Turn, waking: bool) -> None:
        """Count a turn that an earlier life ended but had not counted yet.

        Parameters
        ----------
        waking
            Whether it counts as a waking.
        """
        self.spend(turn)
        self.wakings += waking

    def memory(self) -> dict[str, Any]:
        """What must survive.

        Without what turns in progress have used: should they never end, the ledger tells it.
        """
        open_turns = self.unsettled.values()
        return {
            'tokens': self.tokens - sum(tokens for tokens, _ in open_turns),
            'cost': max(0.0, self.cost - math.fsum(dollars for _, dollars in open_turns)),
            'wakings': self.wakings,
        }

    @classmethod
    def from_memory(cls, memory: Mapping[str, Any] | None) -> Counters:
        """Go on counting; a count that cannot be one begins anew."""
        counted = cls()
        for name, value in (memory or {}).items():
            if not isinstance(value, (int, float)) or not 0 <= value < 2**63:
                continue  # also NaN, which is in no range
            if name == 'cost':
                counted.cost = float(value)
            elif name in ('tokens', 'wakings'):
                setattr(counted, name, int(value))
        return counted


def weighed(usage: Usage) -> int:
    """Count tokens by what they cost: a cached one a tenth."""
    return usage.tokens_in - usage.cached + usage.cached // CACHED_PART + usage.tokens_out


def cost(usage: Usage, prices: Prices | None) -> float:
    """Return what a call costs, USD; 0.0 where the prices are not known."""
    if prices is None:
        return 0.0
    fresh = usage.tokens_in - usage.cached - usage.cache_write
    return prices.cost(fresh, usage.cached, usage.cache_write, usage.tokens_out)
