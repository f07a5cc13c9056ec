"""One simulated servo: a spring towards its target, as the firmware's at 50 Hz."""

from __future__ import annotations

#: Period of the servo loop, s.
PERIOD = 0.02
#: Resolution of a position, 0.1 degree.
STEP = 3.125

_STILL = 0.5  # closer than this to its target and slower than this per period it rests


class Servo:
    """A servo; angles in 0.1 degree, speeds in 0.1 degree/s."""

    def __init__(self, angle: float, low: float, high: float, stiffness: float) -> None:
        self.angle = angle
        self.target = angle
        self.low = low
        self.high = high
        self.speed = 0.0
        self.limit = 0.0  # of the speed
        self._stiffness = stiffness

    @property
    def moving(self) -> bool:
        """Whether it is on its way."""
        return abs(self.target - self.angle) > _STILL or abs(self.speed) * PERIOD > _STILL

    @property
    def reading(self) -> float:
        """What the servo reports: its angle in whole steps."""
        return round(self.angle / STEP) * STEP

    def aim(self, target: float, limit: float) -> bool:
        """Turn towards `target` no faster than `limit`; returns whether it was clamped."""
        self.limit = limit
        self.target = min(max(target, self.low), self.high)
        return self.target != target

    def freeze(self) -> None:
        """Stay where it is."""
        self.target = self.angle
        self.speed = 0.0

    def tick(self) -> None:
        """Pass one period: a critically damped spring whose speed is limited."""
        pull = self._stiffness**2 * (self.target - self.angle)
        self.speed += (pull - 2.0 * self._stiffness * self.speed) * PERIOD
        self.speed = min(max(self.speed, -self.limit), self.limit)
        self.angle = min(max(self.angle + self.speed * PERIOD, self.low), self.high)
        if not self.moving:
            self.angle = self.target
            self.speed = 0.0
