"""Bands of a quantity with hysteresis: a value at a border does not flicker between two."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Borders between bands 1, 2, 3, 4.
LUX = (5.0, 80.0, 1000.0)
CELSIUS = (15.0, 37.0, 42.0)


def band(value: float, borders: Sequence[float], before: int, slack: float) -> int:
    """Return the band of a value: 0 unknown, 1 below the first border, and so on.

    Parameters
    ----------
    before
        The band until now.
    slack
        How far beyond a border, as a part of it, the value has to go to leave its band.
    """
    if math.isnan(value):
        return 0
    plain = 1 + sum(value >= border for border in borders)
    if not before or plain == before:
        return plain
    border = borders[before - 1] if plain > before else borders[before - 2]
    beyond = value - border if plain > before else border - value
    return plain if beyond >= slack * border else before
