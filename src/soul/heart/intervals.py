"""Two cadences by intervals: chosen by herself (stackchan-soul), adaptive (SoulScript Loop)."""

from __future__ import annotations

from soul.heart.config import HeartConfig

#: Adaptive: a spent day ends, and so many seconds later she wakes.
AFTER_RESET = 5.0


def chosen_minutes(config: HeartConfig, asked: float, hour: float, hungry: bool) -> float:
    """How long a sleep lasts, min.

    Parameters
    ----------
    asked
        Minutes she chose; 0: she did not say.
    hour
        Local hour at which she goes to sleep, 0..24.
    hungry
        Her energy is spent.
    """
    minutes = asked if asked > 0.0 else config.chosen_default
    if hungry:
        low, high = config.chosen_hungry_floor, config.chosen_hungry_ceiling
    else:
        low = config.chosen_floor
        night = is_night(hour, config.chosen_night_from, config.chosen_night_until)
        high = config.chosen_ceiling_night if night else config.chosen_ceiling_day
    return min(high, max(low, minutes))


def is_night(hour: float, begins: float, ends: float) -> bool:
    """Whether a local hour lies in the night, which may span midnight."""
    if begins <= ends:
        return begins <= hour < ends
    return hour >= begins or hour < ends


def adaptive_seconds(
    base: float,
    shortest: float,
    longest: float,
    energy: float,
    arousal: float,
    pace: float = 0.0,
) -> float:
    """Interval to the next tick, s: ``base (1 + 4 (0.5 - e) if e < 0.5) / (1 + 1.5 arousal)``.

    Clamped to [shortest, longest]. A `pace` above 0 stands in for the base; low energy slows it,
    arousal does not quicken it. Energy and arousal are 0..1.
    """
    interval = pace if pace > 0.0 else base
    if energy < 0.5:
        interval *= 1.0 + 4.0 * (0.5 - energy)
    if pace <= 0.0:
        interval /= 1.0 + 1.5 * arousal
    return min(longest, max(shortest, interval))


def rest_minutes(asked: float, longest: float = 240.0) -> float:
    """Length of a rest, min: what was asked, within 1 and the longest."""
    return min(longest, max(1.0, asked))
