"""The two processes of sleep: pressure S and the circadian C (Borbely's two-process model)."""

from __future__ import annotations

import math
from datetime import datetime
from zoneinfo import ZoneInfo

#: She falls asleep above and wakes up below these values of S - C.
SLEEP_ABOVE = 0.35
WAKE_BELOW = -0.15


def circadian(hour: float, peak_hour: float = 16.0) -> float:
    """Process C, 0..1, at a local hour."""
    return 0.5 + 0.5 * math.cos(2.0 * math.pi * (hour - peak_hour) / 24.0)


def alertness(pressure: float, circadian_now: float) -> float:
    """Alertness, 0..1: clamp(0.5 + C - S, 0, 1)."""
    return min(1.0, max(0.0, 0.5 + circadian_now - pressure))


def live(
    pressure: float, seconds: float, asleep: bool, rise_hours: float, fall_hours: float
) -> float:
    """Sleep pressure after some time: towards 1 awake, towards 0 asleep."""
    hours = max(0.0, seconds) / 3600.0
    if asleep:
        return pressure * math.exp(-hours / fall_hours)
    return 1.0 - (1.0 - pressure) * math.exp(-hours / rise_hours)


def local_hour(now: float, zone: ZoneInfo | None) -> float:
    """Local hour of the day, 0..24, at a time in seconds since 1970."""
    local = datetime.fromtimestamp(now, zone)
    return local.hour + local.minute / 60.0 + (local.second + local.microsecond * 1e-6) / 3600.0
