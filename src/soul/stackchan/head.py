"""Where the head is and where it may go.

Servos are hurt by what is easily asked for: large fast reversals, too many commands, positions
at their stops, moves that begin from a wrong reading. So a turn is a stream of small absolute
steps, at most `head_hz` a second, each inside the safe range, and it begins only from a position
that has been read and believed.

Angles here are the device's: 0.1 degree, pitch up positive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from soul.stackchan.config import StackChanConfig
from soul.stackchan.transports.events import HeadLimits, HeadRead

_NEAR = 12.0  # closer than this it has arrived
_RANGE_SLACK = 60.0  # a true reading may be beyond the limits by this much
_JUMP_SLACK = 60.0
_JUMP_FACTOR = 1.5
# Readings that jump are believed once so many agree with each other: somebody has turned the
# head by hand. A head that is held does not let itself be turned easily.
_AGREEING_LIMP = 3
_AGREEING_HELD = 20
_ARRIVAL_MARGIN = 2.0  # s
_SLOWEST = 1.0  # degrees/s
_DRIFTED = 30.0  # moved by itself
_SETTLE = 1.0  # s after a turn in which the head may still swing
_POSITION_AGE = 1.0  # s; an older position is unknown


@dataclass(frozen=True)
class Pose:
    """Yaw and pitch of the head, radians."""

    yaw: float
    pitch: float

    def distance(self, other: Pose) -> float:
        """Larger one of the two differences."""
        return max(abs(self.yaw - other.yaw), abs(self.pitch - other.pitch))


@dataclass(frozen=True)
class HeadTurn:
    """A turn under way."""

    target: Pose
    setpoint: Pose
    dps: float
    until: float  # it should have arrived by then
    sent: bool = False  # whether the device has been given the target itself


class HeadMotion:
    """Believes or rejects readings and makes the commands of a turn."""

    def __init__(self, config: StackChanConfig) -> None:
        self.fault = ''  # why nothing is written any more
        self.pose: Pose | None = None  # last believed reading
        self.rejected = 0  # readings not believed
        self.uncommanded = 0  # motions that nobody asked for ...
        self.uncommanded_at = -math.inf  # ... and when it happened last
        self.moving = False
        self.turn: HeadTurn | None = None
        self._config = config
        self._limits = HeadLimits()
        self._believed = -math.inf
        self._failed = 0
        self._doubted: list[Pose] = []
        self._moved_once = False
        self._next_command = -math.inf
        self._resting: Pose | None = None
        self._ended = -math.inf

    def begin(self, limits: HeadLimits, rebooted: bool) -> None:
        """A session has begun."""
        self._limits = limits
        self.turn = None
        self.pose = None
        self._resting = None
        self._doubted = []
        self._failed = 0
        if rebooted:
            self.fault = ''
            self._moved_once = False

    # --- reading --------------------------------------------------------------------------

    def read(self, joint: HeadRead, now: float) -> bool:
        """Take a reading; returns whether it is believed."""
        self.moving = joint.moving
        if not joint.ok or joint.yaw is None or joint.pitch is None:
            self.rejected += 1
            # Servos that have protected themselves let go and recover: they are not hung.
            self._failed = self._failed + 1 if joint.torque else 0
            if self._failed >= self._config.failed_reads and not self.fault:
                self.fault = 'the servos do not answer: switch the robot off and on'
                self.turn = None
            return False
        self._failed = 0
        pose = Pose(joint.yaw, joint.pitch)
        if not self._plausible(pose, joint.torque, now):
            self.rejected += 1
            return False
        self._doubted = []
        self.pose = pose
        self._believed = now
        self._watch(pose, joint.torque, now)
        return True

    def known(self, now: float) -> bool:
        """Whether the position is known."""
        return self.pose is not None and now - self._believed <= _POSITION_AGE

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

    def _watch(self, pose: Pose, held: bool, now: float) -> None:
        # A limp head may be turned by anybody.
        if self.turn is not None or now - self._ended < _SETTLE or not held:
            self._resting = None
        elif self._resting is None:
            self._resting = pose
        elif pose.distance(self._resting) > _DRIFTED:
            self.uncommanded += 1
            self.uncommanded_at = now
            self._resting = pose

    # --- turning --------------------------------------------------------------------------

    def clamp(self, yaw: float, pitch: float) -> tuple[Pose, bool]:
        """Bring a wish into the safe range; says whether it had to be changed.

        A wish that is no number leaves that angle where it is.
        """
        here = self.turn.target if self.turn else self.pose or self.rest
        wish = Pose(
            here.yaw if math.isnan(yaw) else yaw, here.pitch if math.isnan(pitch) else pitch
        )
        config, limits = self._config, self._limits
        widest = 10.0 * config.yaw_limit
        # The device may claim any limits; the configured range has the last word.
        safe = Pose(
            _within(_within(wish.yaw, *limits.yaw), -widest, widest),
            _within(
                _within(wish.pitch, *limits.pitch), 10.0 * config.pitch_low,
                10.0 * config.pitch_high,
            ),
        )  # fmt: skip
        return safe, safe != wish or math.isnan(yaw) or math.isnan(pitch)

    @property
    def rest(self) -> Pose:
        """Return the pose in which the servos may be left alone."""
        return Pose(0.0, 10.0 * self._config.rest_pitch)

    def aim(self, target: Pose, now: float) -> None:
        """Begin a turn to a clamped pose, from where the head is; it must be known."""
        assert self.pose is not None
        start = self.turn.setpoint if self.turn else self.pose
        dps = max(_SLOWEST, min(self._config.head_dps, self._limits.dps))
        way = start.distance(target)
        if not self._moved_once and self._config.first_move > 0.0:
            dps = min(dps, max(_SLOWEST, way / 10.0 / self._config.first_move))
        until = now + way / 10.0 / dps + _ARRIVAL_MARGIN
        self.turn = HeadTurn(target, start, dps, until)

    def freeze(self, now: float) -> None:
        """End a movement where the head is now."""
        if self.turn is not None:
            self.turn = None
            self._ended = now

    def command(self, now: float) -> HeadTurn | None:
        """Take the next step of the turn if one is due: its setpoint is to be sent."""
        turn = self.turn
        if turn is None or turn.sent or now < self._next_command:
            return None
        period = 1.0 / min(self._config.head_hz, self._limits.head_hz)
        self._next_command = now + period
        way = 10.0 * turn.dps * period
        setpoint = Pose(
            _towards(turn.setpoint.yaw, turn.target.yaw, way),
            _towards(turn.setpoint.pitch, turn.target.pitch, way),
        )
        self.turn = replace(turn, setpoint=setpoint, sent=setpoint == turn.target)
        return self.turn

    def due(self) -> float:
        """When a command is due, or the turn should have arrived."""
        if self.turn is None:
            return math.inf
        if self.turn.sent:
            return self.turn.until
        return min(self._next_command, self.turn.until)

    def arrived(self) -> bool:
        """Whether the turn has reached its target."""
        turn = self.turn
        if turn is None or self.pose is None or not turn.sent or self.moving:
            return False
        return self.pose.distance(turn.target) <= _NEAR

    def end(self, now: float) -> None:
        """The turn has ended well."""
        self._moved_once = True
        self.freeze(now)


def _within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _towards(start: float, target: float, way: float) -> float:
    return start + min(max(target - start, -way), way)
