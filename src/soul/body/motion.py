"""Motion from the inertial sensor: at rest, moved, or in somebody's hands."""

from __future__ import annotations

import math

from soul.signals import NO, UNKNOWN, YES, Imu

GRAVITY = 9.80665  # m/s^2
#: Shaken for so long means held; quiet for so long means put down, s.
HELD_SECONDS = 0.8
QUIET_SECONDS = 2.0
#: Turning faster than this is motion, too, rad/s.
TURNING = 0.6


class Motion:
    """Follows the readings of one inertial sensor.

    Parameters
    ----------
    threshold
        Acceleration beyond gravity that counts as motion, m/s^2.
    held
        Whether somebody held it before she fell asleep: then it is still held until it is quiet.
    """

    def __init__(self, threshold: float, held: bool = False) -> None:
        self._threshold = threshold
        self._held_before = held
        self._since = math.nan  # when the present stretch of motion began
        self._last_motion = -math.inf
        self.still = UNKNOWN
        self.picked_up = UNKNOWN
        self.strength = 0.0  # of the present motion, 0..1

    def feel(self, imu: Imu, now: float) -> bool:
        """Take a reading; True if what is felt has changed."""
        before = (self.still, self.picked_up)
        self._feel(imu, now)
        return (self.still, self.picked_up) != before

    def _feel(self, imu: Imu, now: float) -> None:
        force = math.sqrt(sum(a * a for a in imu.acceleration))
        turn = math.sqrt(sum(g * g for g in imu.angular_velocity))
        excess = abs(force - GRAVITY)
        if not math.isfinite(excess):
            return
        if self.still == UNKNOWN:
            self.still, self.picked_up = YES, NO
            if self._held_before:
                self.still, self.picked_up = NO, YES
                self._since = self._last_motion = now
        if excess > self._threshold or turn > TURNING:
            if now - self._last_motion > QUIET_SECONDS:
                self._since = now
            self._last_motion = now
            self.still = NO
            self.strength = min(1.0, excess / 10.0)
            if now - self._since >= HELD_SECONDS:
                self.picked_up = YES
        elif now - self._last_motion > QUIET_SECONDS:
            self.still, self.picked_up = YES, NO
