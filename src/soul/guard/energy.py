"""Her energy: what she may spend in a day, and how much of it is gone."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from soul.guard.config import GuardConfig
from soul.guard.memory import Counts, LedgerMemory
from soul.signals import Energy, MindState

DAY = 86400.0
#: A count beyond this is none.
MOST_COUNTED = 1e15
#: A limit that lets nothing through; 0 would be none, USD.
SMALLEST = 1e-6
NOTHING: Counts = (0, 0.0, 0)


def next_midnight(now: float, zone: ZoneInfo | None) -> float:
    """Next midnight of a zone after `now`, seconds since 1970; right across a clock change."""
    local = datetime.fromtimestamp(now, zone)
    tomorrow = (local + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    if zone is None:
        return tomorrow.replace(tzinfo=None).timestamp()
    return tomorrow.timestamp()


#: A day of energy is never longer than this, s: 25 h across a clock change, and some hours for a
#: clock that was set back a little. What lies further ahead is the midnight of another time.
LONGEST_DAY = 30 * 3600.0
#: So much of each counter (tokens, USD, wakings) may come at once, and in each day that nothing
#: was heard, at least; with larger caps twice the cap. More was never used: somebody else spoke.
MOST_AT_ONCE = (10_000_000, 100.0, 10_000)


class EnergyLedger:
    """Counts what the mind uses, from its ever-growing counters, so that nothing is missed.

    A count that cannot be (no number, negative, absurdly large) is not counted and what was
    counted before stays; one that is lower than before within an epoch of the mind is where
    counting goes on once it is said again. So a forged state costs little, and nothing for good.
    """

    def __init__(self, config: GuardConfig, memory: LedgerMemory | None = None) -> None:
        memory = memory or LedgerMemory(NOTHING)
        self._config = config
        self._zone = ZoneInfo(config.timezone) if config.timezone else None
        self._used = _sound(memory.used) or NOTHING
        #: Counters of the mind up to which everything is counted; None: never heard of it.
        self._counted = _sound(memory.counted)
        self._epoch = memory.epoch  # of the mind that they are of
        self._counted_at = _time(memory.counted_at)
        self._resets_at = _time(memory.resets_at)
        self._lower: Counts | None = None  # fallen counters, said once
        self._month = memory.month
        self._month_cost = memory.month_cost if 0.0 <= memory.month_cost <= MOST_COUNTED else 0.0
        self.implausible = 0  # states of the mind that were not believed

    def memory(self) -> LedgerMemory:
        """Return what must survive."""
        return LedgerMemory(
            self._used,
            self._counted,
            self._epoch,
            self._counted_at,
            self._resets_at,
            self._month,
            self._month_cost,
        )

    @property
    def resets_at(self) -> float:
        """When a new day begins."""
        return self._resets_at

    def renew(self, now: float) -> bool:
        """Begin a new day if it is time; True then.

        A clock set back by a little does not shorten a day; one set back by more makes nobody wait
        for a midnight of before.
        """
        month = f'{datetime.fromtimestamp(now, self._zone):%Y-%m}'
        if month > self._month:  # a clock that was set back begins no month again
            self._month_cost = 0.0 if self._month else self._month_cost
            self._month = month
        if now < self._resets_at <= now + LONGEST_DAY:
            return False
        begun = self._resets_at > 0.0
        if begun and now >= self._resets_at:
            self._used = NOTHING
        self._resets_at = next_midnight(now, self._zone)
        return begun

    def count(self, state: MindState, now: float) -> bool:
        """Count what has been used since the last time; True if it was something."""
        current = _sound((state.tokens, state.cost, state.wakings))
        if current is None:
            self.implausible += 1
            return False
        before = self._counted or NOTHING
        fallen = _below(current, before)
        if fallen and self._epoch not in (None, state.epoch):
            before = NOTHING  # the mind has lost its counters
            fallen = False
        grown = [c - b for c, b in zip(current, before, strict=True)]
        if any(g > most for g, most in zip(grown, self._most(now), strict=True)):
            self.implausible += 1
            if self._counted is None:  # a whole life that this guard knows nothing of
                self._believe(current, state, now)
            return False
        if fallen:  # nobody unspends: either this is no word of the mind's or the last one was not
            self.implausible += 1
            lower, self._lower = self._lower, current
            if lower is not None and not _below(current, lower):  # said twice: it is
                self._believe(current, state, now)
            return False
        self._believe(current, state, now)
        tokens, cost, wakings = (u + g for u, g in zip(self._used, grown, strict=True))
        self._used = tokens, cost, wakings
        self._month_cost += grown[1]
        return any(g > 0 for g in grown)

    def _believe(self, current: Counts, state: MindState, now: float) -> None:
        self._counted, self._epoch, self._counted_at = current, state.epoch, now
        self._lower = None

    def _most(self, now: float) -> list[float]:
        """Return the most that can have been used since something was counted last."""
        config = self._config
        days = 1.0 + max(0.0, now - self._counted_at) / DAY if self._counted_at else 1.0
        caps = (config.daily_tokens, config.daily_cost, config.daily_wakes)
        return [days * max(m, 2 * cap) for m, cap in zip(MOST_AT_ONCE, caps, strict=True)]

    def energy(self, now: float) -> Energy:
        """Her energy as it is published."""
        config = self._config
        cost_limit = self._cost_limit()
        limits = (config.daily_tokens, cost_limit, config.daily_wakes)
        shares = [u / limit for u, limit in zip(self._used, limits, strict=True) if limit > 0]
        gone = max(shares, default=0.0)
        month = self._month_cost / config.monthly_cost if config.monthly_cost else 0.0
        if month >= 1.0:
            gone = 1.0
        counted = self._counted or NOTHING
        return Energy(
            stamp=now,
            level=max(0.0, 1.0 - gone),
            tokens_used=int(self._used[0]),
            tokens_limit=config.daily_tokens,
            cost_used=float(self._used[1]),
            cost_limit=cost_limit,
            wakes_used=int(self._used[2]),
            wakes_limit=config.daily_wakes,
            spent=max(gone, month) >= 1.0 - config.reserve,
            reserve_spent=gone >= 1.0,
            resets_at=self._resets_at,
            month_cost_used=self._month_cost,
            month_cost_limit=config.monthly_cost,
            reserve=config.reserve,
            counted_tokens=int(counted[0]),
            counted_cost=float(counted[1]),
            counted_wakings=int(counted[2]),
        )

    def _cost_limit(self) -> float:
        """Return what the day may cost, USD: no more than is left of the month."""
        daily, monthly = self._config.daily_cost, self._config.monthly_cost
        if not monthly:
            return daily
        left = self._used[1] + max(SMALLEST, monthly - self._month_cost)
        return min(daily, left) if daily else left


def _below(current: Counts, before: Counts) -> bool:
    """Whether a counter has fallen."""
    return any(c < b for c, b in zip(current, before, strict=True))


def _sound(counts: Counts | None) -> Counts | None:
    """Return three counts, or None if they cannot be that."""
    whole = counts is not None and all(0 <= count <= MOST_COUNTED for count in counts)
    return counts if whole else None


def _time(at: float) -> float:
    """Return a time, 0.0 if there is none."""
    return at if math.isfinite(at) else 0.0
