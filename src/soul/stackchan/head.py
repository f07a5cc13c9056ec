"""Where the head is and where it may go.

Servos are hurt by what is easily asked for: large fast reversals, too many commands, positions
at their stops, moves that begin from a wrong reading. So a turn begins only from a position that
has been read and believed, and stays inside the safe range. It is a stream of small absolute
steps, at most `head_hz` a second, or one target with a speed for a head that finds its way.

Angles here are the device's: 0.1 degree, pitch up positive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from soul.stackchan.config import StackChanConfig
from soul.stackchan.pose_belief import Pose, PoseBelief
from soul.stackchan.transports.events import HeadLimits, HeadRead

_NEAR = 12.0  # closer than this it has arrived ...
_NEAR_STEPS = 2.5  # ... or closer than so many steps of what tells where it is
_ARRIVAL_MARGIN = 2.0  # s
_PLANNED_MARGIN = 4.0  # s; a spring comes to rest slowly
_SLOWEST = 1.0  # degrees/s
_DRIFTED = 30.0  # moved by itself
_SETTLE = 1.0  # s after a turn in which the head may still swing
# A head that finds its way by itself begins anew with each target: not too often, and slowly
# where it is to turn back by a long way, which hangs the bus of its servos.
_PLANNED_PERIOD = 0.5  # s
_LONG_WAY_BACK = 500.0
_WAY_BACK_DPS = 60.0


@dataclass(frozen=True)
class HeadTurn:
    """A turn under way."""

    target: Pose
    setpoint: Pose
    dps: float
    until: float  # it should have arrived by then
    sent: bool = False  # whether the device has been given the target itself


class HeadMotion:
    """Makes the commands of a turn, from a position that is believed.

    Attributes
    ----------
    belief
        Where the head is.
    uncommanded, uncommanded_at
        Motions that nobody asked for, and when the last one was.
    """

    def __init__(self, config: StackChanConfig) -> None:
        self.belief = PoseBelief(config.failed_reads)
        self.uncommanded = 0
        self.uncommanded_at = -math.inf
        self.moving = False
        self.turn: HeadTurn | None = None
        self._config = config
        self._limits = HeadLimits()
        self._moved_once = False
        self._next_command = -math.inf
        self._resting: Pose | None = None
        self._ended = -math.inf

    @property
    def fault(self) -> str:
        """Why nothing is written any more; empty: nothing is wrong."""
        return self.belief.fault

    @property
    def pose(self) -> Pose | None:
        """Where the head was last, as far as that is believed."""
        return self.belief.pose

    @property
    def rejected(self) -> int:
        """Return how many readings were not believed."""
        return self.belief.rejected

    def begin(self, limits: HeadLimits, rebooted: bool) -> None:
        """A session has begun."""
        self._limits = limits
        self.belief.begin(limits, rebooted)
        self.turn = None
        self._resting = None
        if rebooted:
            self._moved_once = False

    # --- reading --------------------------------------------------------------------------

    def read(self, joint: HeadRead, now: float) -> bool:
        """Take a reading; returns whether it is believed."""
        self.moving = joint.moving
        believed = self.belief.read(joint, now)
        if self.belief.fault:
            self.turn = None
            self._moved_once = False  # what comes after it is as careful as after a boot
        if believed and self.belief.pose is not None:
            self._watch(self.belief.pose, joint.torque, now)
        return believed

    def known(self, now: float) -> bool:
        """Whether the position is known."""
        return self.belief.known(now)

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
        plans = self._limits.plans
        start = self.turn.setpoint if self.turn and not plans else self.pose
        dps = max(_SLOWEST, min(self._config.head_dps, self._limits.dps))
        way = start.distance(target)
        if not self._moved_once and self._config.first_move > 0.0:
            dps = min(dps, max(_SLOWEST, way / 10.0 / self._config.first_move))
        if plans and self._turns_back(target):
            dps = min(dps, _WAY_BACK_DPS)
        margin = _PLANNED_MARGIN if plans else _ARRIVAL_MARGIN
        self.turn = HeadTurn(target, start, dps, now + way / 10.0 / dps + margin)

    def _turns_back(self, target: Pose) -> bool:
        """Whether a new target lies on the other side of where the head is on its way from."""
        before, here = self.turn, self.pose
        if before is None or here is None:
            return False
        ways = (
            (before.target.yaw - here.yaw, target.yaw - here.yaw),
            (before.target.pitch - here.pitch, target.pitch - here.pitch),
        )
        return any(old * new < 0.0 and abs(new - old) > _LONG_WAY_BACK for old, new in ways)

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
        if self._limits.plans:
            self._next_command = now + _PLANNED_PERIOD
            self.turn = replace(turn, setpoint=turn.target, sent=True)
            return self.turn
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
        near = max(_NEAR, _NEAR_STEPS * self._limits.step)
        return self.pose.distance(turn.target) <= near

    def end(self, now: float) -> None:
        """The turn has ended well."""
        self._moved_once = True
        self.freeze(now)


def _within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _towards(start: float, target: float, way: float) -> float:
    return start + min(max(target - start, -way), way)
