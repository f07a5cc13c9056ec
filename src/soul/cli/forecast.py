"""How long her energy lasts if she goes on as she did today, in words."""

from __future__ import annotations

from datetime import datetime

from soul.signals import Energy

DAY = 86400.0
#: From less of a day nothing can be said, s.
LEAST = 1800.0


def forecast(energy: Energy, now: float, cost_known: bool) -> str:
    """Return it; empty: nothing can be said yet.

    Parameters
    ----------
    now
        Seconds since 1970.
    cost_known
        Whether all her models have prices.
    """
    elapsed = now - (energy.resets_at - DAY)
    if not energy.resets_at or not LEAST <= elapsed <= DAY:
        return ''
    a_day = energy.cost_used * DAY / elapsed
    parts = [f'at this rhythm about {a_day:.2f} USD a day' if cost_known else '']
    if ends := _ends(energy, now, elapsed):
        until = datetime.fromtimestamp(ends).astimezone()
        parts.append(f"the day's energy lasts until {until:%H:%M}")
    return '; '.join(part for part in parts if part)


def _ends(energy: Energy, now: float, elapsed: float) -> float:
    """Return when the first of the limits is reached, s since 1970; 0: not today."""
    part = 1.0 - energy.reserve
    found = energy.resets_at
    for used, limit in (
        (energy.tokens_used, energy.tokens_limit),
        (energy.cost_used, energy.cost_limit),
        (energy.wakes_used, energy.wakes_limit),
    ):
        if limit and used:
            found = min(found, now + max(0.0, limit * part - used) * elapsed / used)
    return found if now < found < energy.resets_at else 0.0
