"""From readings to feelings: bands with hysteresis, and the words for what the body feels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from soul.body.bands import (
    CELSIUS,
    CELSIUS_SLACK,
    CELSIUS_USUAL,
    ENERGY,
    ENERGY_SLACK,
    ENERGY_USUAL,
    LUX,
    LUX_SLACK,
    band,
)
from soul.body.memory import BandsMemory
from soul.signals import NO, YES, Band, BodyState

#: How much lighter charging feels than the charge alone.
CHARGING_LIFT = 0.2
_TIRED = 1  # band of energy


@dataclass
class Bands:
    """The bands that the body is in; 0 unknown."""

    warmth: int = 0
    brightness: int = 0
    energy: int = 0

    @classmethod
    def of(cls, memory: BandsMemory) -> Bands:
        """Return the bands of an earlier life."""
        return cls(memory.warmth, memory.brightness, memory.energy)

    def memory(self) -> BandsMemory:
        """Return what must survive."""
        return BandsMemory(self.warmth, self.brightness, self.energy)

    def move(self, celsius: float, lux: float, energy: float) -> None:
        """Follow the readings; a sense that is unknown keeps its band for when it is back."""
        warmth = band(celsius, CELSIUS, self.warmth, CELSIUS_SLACK, CELSIUS_USUAL)
        self.warmth = warmth or self.warmth
        self.brightness = band(lux, LUX, self.brightness, LUX_SLACK) or self.brightness
        fullness = band(energy, ENERGY, self.energy, ENERGY_SLACK, ENERGY_USUAL)
        self.energy = fullness or self.energy


def energy_of(charge: float, charging: int) -> float:
    """How full she feels, 0..1; NaN unknown."""
    if math.isnan(charge):
        return math.nan
    return min(1.0, charge + CHARGING_LIFT) if charging == YES else charge


def words(state: BodyState, bands: Bands) -> tuple[str, ...]:
    """Keys of what the body feels."""
    found = {
        'cold': state.warmth == Band.COLD,
        'hot': state.warmth == Band.HOT,
        'dark': state.brightness == Band.DARK,
        'glaring': state.brightness == Band.GLARING,
        'held': state.picked_up == YES,
        'tired': bands.energy == _TIRED and not math.isnan(state.energy),
        'charging': state.charging == YES,
        'numb': state.connected == NO,
    }
    return tuple(name for name, holds in found.items() if holds)


def felt(state: BodyState, bands: Bands) -> tuple[Any, ...]:
    """What counts as a change of the body: its four feelings, and not the numbers behind them."""
    return (
        state.warmth,
        state.brightness,
        0 if math.isnan(state.energy) else bands.energy,
        state.still,
    )
