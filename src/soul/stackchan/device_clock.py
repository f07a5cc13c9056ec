"""Maps the device's clock to the node's, so that a reading carries the time it was taken.

A message is late by an unknown delay but never early: the smallest difference seen between
arrival and the device's `up` is the best estimate of the offset. It is allowed to grow slowly,
since the two clocks drift apart.
"""

from __future__ import annotations

import math

#: The two clocks drift apart by no more than that, s/s.
DRIFT = 100e-6


class DeviceClock:
    """Estimates when a reading was taken, s of the node's clock."""

    def __init__(self) -> None:
        self._offset = math.inf
        self._at = 0.0

    def reset(self) -> None:
        """The device has booted: its clock begins anew."""
        self._offset = math.inf

    def stamp(self, up: int, now: float) -> float:
        """Time at which the device sent what arrives at `now`; `up` in ms."""
        measured = now - up / 1000.0
        allowed = self._offset + DRIFT * max(0.0, now - self._at)
        self._offset = min(measured, allowed)
        self._at = now
        return min(now, up / 1000.0 + self._offset)

    def age(self, up: int, now: float) -> float:
        """How old what arrives at `now` is, s."""
        return now - self.stamp(up, now)
