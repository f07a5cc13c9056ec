"""The newest reading of each sense. A sense that is silent is unknown, never zero."""

from __future__ import annotations

import math


class Senses:
    """Readings by name, each with the time it came.

    Parameters
    ----------
    longest
        A reading older than this is none any more, s.
    """

    def __init__(self, longest: float) -> None:
        self._longest = longest
        self._readings: dict[str, tuple[float, float]] = {}
        self._met: set[str] = set()

    def take(self, name: str, value: float, now: float) -> bool:
        """Take a reading, NaN where the sensor has none; True if that sense is new."""
        if not math.isfinite(value):
            self._readings.pop(name, None)
            return False
        self._readings[name] = (value, now)
        new = name not in self._met
        self._met.add(name)
        return new

    def read(self, name: str, now: float) -> float:
        """Return the value of a sense, NaN if it is unknown."""
        value, at = self._readings.get(name, (math.nan, math.inf))
        if now - at > self._longest:  # when it is back, it is new
            del self._readings[name]
            self._met.discard(name)
            return math.nan
        return value

    def forget(self) -> None:
        """The body is gone."""
        self._readings.clear()
        self._met.clear()

    def clock_went_back(self, now: float) -> None:
        """No reading comes from the future."""
        self._readings = {
            name: (value, min(at, now)) for name, (value, at) in self._readings.items()
        }
