"""Which readings of the head's position are believed.

Firmwares report failed reads as angles; a pose that is wrong would make the next turn a slam.
Angles here are the device's: 0.1 degree, pitch up positive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from soul.stackchan.transports.events import HeadLimits, HeadRead

_RANGE_SLACK = 60.0  # a true reading may be beyond the limits by this much
_JUMP_SLACK = 60.0
_JUMP_FACTOR = 1.5
# Readings that jump are believed once so many agree with each other: somebody has turned the
# head by hand. A head that is held does not let itself be turned easily.
_AGREEING_LIMP = 3
_AGREEING_HELD = 20
_POSITION_AGE = 1.0  # s; an older position is unknown
# Servos that hung answer again once they have told sound positions for so long, s, and moved.
_RECOVERED = 3.0
_RECOVERED_WAY = 15.0


@dataclass(frozen=True)
class Pose:
    """Yaw and pitch of the head, 0.1 degree."""

    yaw: float
    pitch: float

    def distance(self, other: Pose) -> float:
        """Larger one of the two differences."""
        return max(abs(self.yaw - other.yaw), abs(self.pitch - other.pitch))


class PoseBelief:
    """Takes readings, and says whether they are believed and whether the servos answer.

    Parameters
    ----------
    failed_reads
        So many failed readings in a row, and the servo bus counts as hung.

    Attributes
    ----------
    fault
        Why nothing is to be written any more; empty: nothing is wrong.
    pose
        What was believed last.
    rejected
        Readings that were not believed.
    """

    def __init__(self, failed_reads: int) -> None:
        self.fault = ''
        self.pose: Pose | None = None
        self.rejected = 0
        self._failed_reads = failed_reads
        self._limits = HeadLimits()
        self._believed = -math.inf
        self._failed = 0
        self._doubted: list[Pose] = []
        self._sound_since = math.nan
        self._sound_from: Pose | None = None
        self._moved = False

    def begin(self, limits: HeadLimits, rebooted: bool) -> None:
        """A session has begun: nothing is known."""
        self._limits = limits
        self.pose = None
        self._doubted = []
        self._failed = 0
        self._begin_recovery()
        if rebooted:
            self.fault = ''

    def known(self, now: float) -> bool:
        """Whether the position is known."""
        return self.pose is not None and now - self._believed <= _POSITION_AGE

    def read(self, joint: HeadRead, now: float) -> bool:
        """Take a reading; returns whether it is believed."""
        if not joint.ok or joint.yaw is None or joint.pitch is None:
            self.rejected += 1
            self._begin_recovery()
            # Servos that have protected themselves let go and recover: they are not hung.
            self._failed = self._failed + 1 if joint.torque else 0
            if self._failed >= self._failed_reads and not self.fault:
                self.fault = 'the servos do not answer: switch the robot off and on'
            return False
        self._failed = 0
        pose = Pose(joint.yaw, joint.pitch)
        if not self._plausible(pose, joint.torque, now):
            self.rejected += 1
            return False
        self._doubted = []
        self.pose = pose
        self._believed = now
        if self.fault:
            self._recover(pose, now)
        return True

    def _plausible(self, pose: Pose, held: bool, now: float) -> bool:
        limits = self._limits
        low_yaw, high_yaw = limits.yaw
        low_pitch, high_pitch = limits.pitch
        if not (
            low_yaw - _RANGE_SLACK <= pose.yaw <= high_yaw + _RANGE_SLACK
            and low_pitch - _RANGE_SLACK <= pose.pitch <= high_pitch + _RANGE_SLACK
        ):
            return False
        if self.pose is None:
            return True
        elapsed = max(0.0, now - self._believed)
        reach = 10.0 * limits.dps * elapsed * _JUMP_FACTOR + _JUMP_SLACK
        if pose.distance(self.pose) <= reach:
            return True
        if self._doubted and pose.distance(self._doubted[-1]) > _JUMP_SLACK:
            self._doubted = []
        self._doubted.append(pose)
        return len(self._doubted) >= (_AGREEING_HELD if held else _AGREEING_LIMP)

    def _begin_recovery(self) -> None:
        self._sound_since, self._sound_from, self._moved = math.nan, None, False

    def _recover(self, pose: Pose, now: float) -> None:
        """End the fault once the bus has shown that it lives: a stuck one repeats itself."""
        if self._sound_from is None:
            self._sound_since, self._sound_from = now, pose
        self._moved = self._moved or pose.distance(self._sound_from) >= _RECOVERED_WAY
        if self._moved and now - self._sound_since >= _RECOVERED:
            self.fault = ''
