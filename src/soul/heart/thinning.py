"""Samples a non-homogeneous Poisson process by thinning (Lewis and Shedler).

Candidates come at the bound's rate and are kept with probability rate / bound. That is exact for
any bound that holds, whatever the pieces are; a bound that does not hold would make her wake too
seldom without anybody noticing, so each candidate checks it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

from soul.heart.course import Piece

#: Seconds of one hour: rates are per hour.
HOUR = 3600.0
#: How far a rate may lie above its bound by rounding alone.
TOLERANCE = 1.0 + 1e-9


class BoundExceeded(ArithmeticError):
    """A rate was higher than what was proven to bound it; the sample would be wrong."""

    def __init__(self, at: float, rate: float, bound: float) -> None:
        super().__init__(f'the wake rate at {at:.3f} is {rate:.9g}/h, its bound {bound:.9g}/h')
        self.at = at


def first_wake(pieces: Iterable[Piece], rng: random.Random) -> tuple[float, bool] | None:
    """Sample when the first wake comes.

    Parameters
    ----------
    pieces
        Time from now on, in order, without gaps.

    Returns
    -------
    tuple or None
        The time in seconds, and whether she is asleep then; None if none comes in the pieces.

    Raises
    ------
    BoundExceeded
        If a rate is above the bound of its piece.
    """
    budget = -math.log1p(-rng.random())  # to the next candidate, in candidates expected
    for piece in pieces:
        bound = piece.bound / HOUR
        if bound <= 0.0:
            continue
        at = piece.left
        while True:
            ahead = budget / bound
            if at + ahead >= piece.right:
                budget = max(0.0, budget - (piece.right - at) * bound)
                break
            at += ahead
            rate = piece.course.rate(at)
            if rate > piece.bound * TOLERANCE:
                raise BoundExceeded(at, rate, piece.bound)
            if rng.random() * piece.bound < rate:
                return at, piece.course.asleep
            budget = -math.log1p(-rng.random())
    return None
