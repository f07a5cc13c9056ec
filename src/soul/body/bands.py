"""Bands of a quantity with hysteresis: a value at a border does not flicker between two."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Borders between bands 1, 2, 3, 4.
LUX = (5.0, 80.0, 1000.0)
CELSIUS = (15.0, 37.0, 42.0)
#: Of energy, 0..1; the lowest band is tired.
ENERGY = (0.2, 0.4, 0.6, 0.8)
#: The bands that are nothing to speak of: comfortable, and full.
CELSIUS_USUAL, ENERGY_USUAL = 2, 5
#: How far beyond a border, as a part of it, a value has to go to leave its band.
LUX_SLACK = 0.1
CELSIUS_SLACK = 0.02
ENERGY_SLACK = 0.1
#: Light that changes by this factor from one moment to the next is a jump, not the evening.
_JUMP = 2.0


def band(value: float, borders: Sequence[float], before: int, slack: float, usual: int = 0) -> int:
    """Return the band of a value: 0 unknown, 1 below the first border, and so on.

    Parameters
    ----------
    before
        The band until now.
    slack
        How far beyond a border, as a part of it, the value has to go to leave its band.
    usual
        The band from which others are reached at their border, which belongs to them (at 42.0
        degrees it is hot, at 15.0 cold); the slack holds on the way back only. 0: there is none,
        a border belongs to the band above, and the slack holds both ways.
    """
    if math.isnan(value):
        return 0
    plain = 1 + sum(
        value > border if n < usual else value >= border for n, border in enumerate(borders, 1)
    )
    before = min(max(0, before), len(borders) + 1)
    away = usual > 0 and abs(plain - usual) > abs(before - usual)
    if not before or plain == before or away:
        return plain
    border = borders[before - 1] if plain > before else borders[before - 2]
    beyond = value - border if plain > before else border - value
    return plain if beyond >= slack * border else before


def jumped(before: float, lux: float) -> bool:
    """Whether light has changed at once, or changes as slowly as a day does."""
    low, high = sorted((max(0.0, before) + 1.0, max(0.0, lux) + 1.0))
    return high >= _JUMP * low
