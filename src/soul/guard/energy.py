"""Her energy: what she may spend in a day, and how much of it is gone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from soul.guard.config import GuardConfig
from soul.signals import Energy, MindState


def next_midnight(now: float, zone: ZoneInfo | None) -> float:
    """Next midnight of a zone after `now`, seconds since 1970; right across a clock change."""
    local = datetime.fromtimestamp(now, zone)
    tomorrow = (local + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    if zone is None:
        return tomorrow.replace(tzinfo=None).timestamp()
    return tomorrow.timestamp()


class Ledger:
    """Counts what the mind uses, from its ever-growing counters, so that nothing is missed."""

    def __init__(self, config: GuardConfig, memory: Mapping[str, Any] | None = None) -> None:
        memory = memory or {}
        self._config = config
        self._zone = ZoneInfo(config.timezone) if config.timezone else None
        self._used: list[float] = list(memory.get('used', (0, 0.0, 0)))
        #: Counters of the mind up to which everything is counted; None: never heard of it.
        self._counted: list[float] | None = memory.get('counted')
        self._resets_at: float = memory.get('resets_at', 0.0)

    def memory(self) -> dict[str, Any]:
        """What must survive."""
        return {
            'used': list(self._used),
            'counted': self._counted,
            'resets_at': self._resets_at,
        }

    @property
    def resets_at(self) -> float:
        """When a new day begins."""
        return self._resets_at

    def renew(self, now: float) -> bool:
        """Begin a new day if it is time; True then. A clock set back never shortens a day."""
        if now < self._resets_at <= now + 2 * 86400.0:
            return False
        begun = self._resets_at > 0.0
        if begun and now >= self._resets_at:
            self._used = [0, 0.0, 0]
        self._resets_at = next_midnight(now, self._zone)
        return begun

    def count(self, state: MindState) -> bool:
        """Count what has been used since the last time; True if it was something."""
        current: list[float] = [state.tokens, state.cost, state.wakings]
        before = self._counted
        if before is None:
            before = [0, 0.0, 0]
        if any(c < b for c, b in zip(current, before, strict=True)):
            before = [0, 0.0, 0]  # the mind has lost its counters
        grown = [c - b for c, b in zip(current, before, strict=True)]
        self._counted = current
        self._used = [u + g for u, g in zip(self._used, grown, strict=True)]
        return any(g > 0 for g in grown)

    def energy(self, now: float) -> Energy:
        """Her energy as it is published."""
        config = self._config
        limits = (config.daily_tokens, config.daily_cost, config.daily_wakes)
        shares = [u / limit for u, limit in zip(self._used, limits, strict=True) if limit > 0]
        gone = max(shares, default=0.0)
        counted = self._counted or (0, 0.0, 0)
        return Energy(
            stamp=now,
            level=max(0.0, 1.0 - gone),
            tokens_used=int(self._used[0]),
            tokens_limit=config.daily_tokens,
            cost_used=float(self._used[1]),
            cost_limit=config.daily_cost,
            wakes_used=int(self._used[2]),
            wakes_limit=config.daily_wakes,
            spent=gone >= 1.0 - config.reserve,
            reserve_spent=gone >= 1.0,
            resets_at=self._resets_at,
            reserve=config.reserve,
            counted_tokens=int(counted[0]),
            counted_cost=float(counted[1]),
            counted_wakings=int(counted[2]),
        )
