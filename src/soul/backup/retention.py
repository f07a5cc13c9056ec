"""Which backups are kept."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo

from soul.text.stamps import local

DAILY = 7
WEEKLY = 4


def surplus(
    times: Iterable[float],
    now: float,
    daily: int = DAILY,
    weekly: int = WEEKLY,
    zone: tzinfo | None = None,
) -> list[float]:
    """Return the times of the backups that may go.

    Kept are the newest of each of the last `daily` days that have one, beside these the newest
    of each of the last `weekly` weeks that have one, and whatever bears a time after `now`: after
    a clock was set back nobody knows how old that is.
    """
    ordered = sorted((at for at in times if at <= now), reverse=True)
    days: dict[object, float] = {}
    weeks: dict[object, float] = {}
    for at in ordered:
        when = local(at, zone)
        days.setdefault(when.date(), at)
        weeks.setdefault(when.isocalendar()[:2], at)
    kept = set(list(days.values())[:daily])
    kept |= set([at for at in weeks.values() if at not in kept][:weekly])
    return sorted(at for at in ordered if at not in kept)
