"""Samples a non-homogeneous Poisson process by thinning (Lewis and Shedler).

Candidates come at the bound's rate and are kept with probability rate / bound. That is exact for
any bound that holds, whatever the segments are; a bound that does not hold would make her wake too
seldom without anybody noticing, so each candidate checks it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

from soul.heart.rate_forecast import RateSegment

#: Seconds of one hour: rates are per hour.
HOUR = 3600.0
#: How far a rate may lie above its bound by rounding alone.
TOLERANCE = 1.0 + 1e-9


class BoundExceeded(ArithmeticError):
    """A rate was higher than what was proven to bound it; the sample would be wrong."""

    def __init__(self, at: float, rate: float, bound: float) -> None:
        super().__init__(f'the wake rate at {at:.3f} is {rate:.9g}/h, its bound {bound:.9g}/h')
        self.at = at


def first_wake(segments: Iterable[RateSegment], rng: random.Random) -> tuple[float, bool] | None:
    """Sample when the first wake comes.

    Parameters
    ----------
    segments
        Time from now on, in order, without gaps.

    Returns
    -------
    tuple or None
        The time in seconds, and whether she is asleep then; None if none comes in the segments.

    Raises
    ------
    BoundExceeded
        If a rate is above the bound of its segment.
    """
    budget = -math.log1p(-rng.random())  # to the next candidate, in candidates expected
    for segment in segments:
        bound = segment.bound / HOUR
        if bound <= 0.0:
            continue
        at = segment.left
        while True:
            ahead = budget / bound
            if at + ahead >= segment.right:
                budget = max(0.0, budget - (segment.right - at) * bound)
                break
            at += ahead
            rate = segment.forecast.rate(at)
            if rate > segment.bound * TOLERANCE:
                raise BoundExceeded(at, rate, segment.bound)
            if rng.random() * segment.bound < rate:
                return at, segment.forecast.asleep
            budget = -math.log1p(-rng.random())
    return None
