"""The wake rate, in wakes per hour (Heart and Twin; arousal and energy: SoulScript Loop).

Awake: ``lambda0 * mean^gamma * (0.2 + 0.8 a) * inhibition``.
Asleep: ``lambda0 * 0.5 * min(1, unconsolidated / 10) * (1 if S > 0.2 else 0.3) * inhibition``.
"""

from __future__ import annotations

#: Above this sleep pressure she dreams at the full rate, below at less.
DEEP = 0.2
SHALLOW_FACTOR = 0.3
#: So many wakings not yet dreamt over make the full dream rate.
FULL_OF_LIFE = 10.0


def awake_rate(
    base: float, mean_drive: float, gamma: float, alertness: float, inhibition: float
) -> float:
    """Wakes per hour while awake; 0 if inhibited wholly."""
    if inhibition <= 0.0:
        return 0.0
    return base * max(0.0, mean_drive) ** gamma * (0.2 + 0.8 * alertness) * inhibition


def asleep_rate(base: float, unconsolidated: float, pressure: float, inhibition: float) -> float:
    """Dreams per hour while asleep; 0 if inhibited wholly or nothing is left to dream over."""
    if inhibition <= 0.0 or unconsolidated <= 0.0:
        return 0.0
    depth = 1.0 if pressure > DEEP else SHALLOW_FACTOR
    return base * 0.5 * min(1.0, unconsolidated / FULL_OF_LIFE) * depth * inhibition


def stir(arousal: float, energy: float) -> float:
    """Factor of arousal and energy on the rate: ``(1 + 1.5 arousal) / (1 + 4 max(0, 0.5 - e))``.

    Both 0..1; a number that is not known (NaN) changes nothing.
    """
    quick = 1.0 + 1.5 * min(1.0, max(0.0, arousal)) if arousal == arousal else 1.0
    slow = 1.0 + 4.0 * max(0.0, 0.5 - max(0.0, energy)) if energy == energy else 1.0
    return quick / slow


def rest_floor(rest_minutes: float, share: float = 0.1) -> float:
    """Lowest wakes per hour after a rest of so many minutes: ``1 / max(1 min, 0.1 x rest)``."""
    return 60.0 / max(1.0, share * rest_minutes)
