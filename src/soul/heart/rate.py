"""The momentary wake rate, and sampling from it by thinning.

Awake: lambda0 * mean^gamma * (0.2 + 0.8 a) * inhibition, in wakes per hour.
"""

from __future__ import annotations

import random
from collections.abc import Callable

#: Integration step of the thinning, s. It never wakes anybody.
STEP_SECONDS = 900.0


def awake_rate(
    base: float, mean_drive: float, gamma: float, alertness: float, inhibition: float
) -> float:
    """Wakes per hour while awake."""
    if inhibition <= 0.0:
        return 0.0
    return base * mean_drive**gamma * (0.2 + 0.8 * alertness) * inhibition


def next_wake(
    start: float,
    rate: Callable[[float], float],
    bound: Callable[[float, float], float],
    rng: random.Random,
    horizon: float = 48 * 3600.0,
) -> float:
    """Sample the next wake of a non-homogeneous Poisson process by thinning.

    Parameters
    ----------
    start
        Time to start from, s.
    rate
        Wakes per hour at a time.
    bound
        A number that `rate` does not exceed between two times.
    horizon
        How far to look, s.

    Returns
    -------
    float
        Time of the wake, s; `start + horizon` if there is none before.
    """
    left, end = start, start + horizon
    while left < end:
        right = min(left + STEP_SECONDS, end)
        highest = bound(left, right) / 3600.0
        at = left
        while highest > 0.0:
            at += rng.expovariate(highest)
            if at >= right:
                break
            if rng.random() * highest <= rate(at) / 3600.0:
                return at
        left = right
    return end
