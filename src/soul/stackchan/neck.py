"""Looking somewhere: one turn of the head at a time, the newest wish wins."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from soul.core.organ import Finish, Progress, Report
from soul.signals import Joints, LookAtFeedback, LookAtGoal, LookAtResult, Point
from soul.stackchan.config import StackChanConfig
from soul.stackchan.geometry import (
    BASE,
    PITCH_JOINT,
    YAW_JOINT,
    of_the_head,
    to_device,
    to_radians,
    towards,
)
from soul.stackchan.head import HeadMotion
from soul.stackchan.pose_belief import Pose
from soul.stackchan.transports.commands import GazeCommand, HeadCommand, TorqueCommand
from soul.stackchan.transports.events import Answered, HeadRead
from soul.stackchan.transports.port import BodyPort

_FEEDBACK_PERIOD = 0.2
_EYES = 300.0  # so far aside the eyes look when they look as far as they can, 0.1 degree


def no_frames(point: Point, frame: str) -> Point:
    """Refuse points in frames that are not the robot's own: nobody knows where those are."""
    raise ValueError(
        f'the frame {point.frame_id!r} is not part of the head: give the point in {frame}'
    )


class Neck:
    """Turns the head for whoever asked last.

    Parameters
    ----------
    transform
        Gives a point in another frame; raises ValueError, which says why, if it cannot.
    """

    def __init__(
        self,
        config: StackChanConfig,
        port: BodyPort,
        transform: Callable[[Point, str], Point] = no_frames,
    ) -> None:
        self.head = HeadMotion(config)
        self._config = config
        self._port = port
        self._transform = transform
        self._names = (config.frame_prefix + YAW_JOINT, config.frame_prefix + PITCH_JOINT)
        self._handle = ''
        self._clamped = False
        self._glancing = False  # the eyes look aside
        self._resting = False  # on the way to the safe pose, torque is released there
        self._commands: set[str] = set()
        self._next_feedback = -math.inf

    def refusal(self, goal: LookAtGoal, now: float) -> str:
        """Why `goal` cannot be followed; empty if it can."""
        if self.head.fault:
            return self.head.fault
        if not self.head.known(now):
            return 'where the head is could not be read'
        try:
            self._wish(goal)
        except ValueError as error:
            return str(error)
        return ''

    def perform(self, goal: LookAtGoal, handle: str, now: float) -> Iterator[Any]:
        """Turn the head."""
        reason = self.refusal(goal, now)
        if reason:
            yield self._finish(handle, False, reason, 'aborted')
            return
        # The turn itself goes on from its last step: it only gets another target.
        yield from self._conclude(False, 'superseded by a newer wish', 'aborted', now)
        self._resting = False
        yaw, pitch = self._wish(goal)
        target, self._clamped = self.head.clamp(*to_device(yaw, pitch, self._config.yaw_sign))
        self._handle = handle
        self._glance(target, now)
        self.head.aim(target, now)
        yield from self.step(now)

    def go_to_rest(self, now: float) -> None:
        """Turn to the safe pose and let go there."""
        if self.head.known(now) and not self.head.fault:
            self.head.aim(self.head.rest, now)
            self._resting = True

    def read(self, joint: HeadRead, stamp: float, now: float) -> Iterator[Any]:
        """Take a reading of the head; says it if it is believed."""
        fault = self.head.fault
        believed = self.head.read(joint, now)
        if fault and not self.head.fault:
            yield Report('info', 'the servos answer again')
        if believed:
            yield Joints(stamp, self._names, self.position)
            if self._handle and now >= self._next_feedback:
                self._next_feedback = now + _FEEDBACK_PERIOD
                yield Progress(self._handle, LookAtFeedback(*self.position))
            if self.head.arrived():
                self.head.end(now)
                yield from self._conclude(True, '', 'succeeded', now)
                if self._resting:
                    self._resting = False
                    self._port.send(TorqueCommand(False), now)
        elif self.head.fault:
            yield from self.end(self.head.fault, now)

    def answered(self, answer: Answered, now: float) -> Iterator[Any]:
        """Hear what the device makes of a step."""
        if answer.id not in self._commands:
            return
        self._commands.discard(answer.id)
        if answer.state == 'nack':
            yield from self.end(f'the device refused: {answer.why}', now)
        elif answer.state == 'clamped':
            self._clamped = True

    def step(self, now: float) -> Iterator[Any]:
        """Send the next step, or give up a turn that does not arrive."""
        turn = self.head.command(now)
        if turn is not None:
            yaw, pitch = round(turn.setpoint.yaw, 1), round(turn.setpoint.pitch, 1)
            self._commands.add(self._port.send(HeadCommand(yaw, pitch, turn.dps), now))
        elif self.head.turn is not None and now >= self.head.turn.until:
            known = self.head.known(now)
            reason = 'the head did not arrive' if known else 'where the head is is unknown'
            yield from self.end(reason, now)

    def cancel(self, handle: str, now: float) -> Iterator[Any]:
        """Stop turning."""
        if handle == self._handle:
            self.head.freeze(now)
            self._hold(now)
            yield from self._conclude(False, 'cancelled', 'canceled', now)

    def end(self, reason: str, now: float) -> Iterator[Any]:
        """End a turn that has not arrived."""
        self.head.freeze(now)
        self._resting = False
        self._commands.clear()
        yield from self._conclude(False, reason, 'aborted', now)

    @property
    def position(self) -> tuple[float, float]:
        """Yaw and pitch, rad; NaN unknown."""
        if self.head.pose is None:
            return math.nan, math.nan
        return to_radians(self.head.pose, self._config.yaw_sign)

    def _glance(self, target: Pose | None, now: float) -> None:
        """Let the eyes go ahead of the head; None: they look straight ahead again."""
        about, here = self._port.about, self.head.pose
        if about is None or 'gaze' not in about.capabilities or here is None:
            return
        self._glancing = target is not None
        x = y = 0.0
        if target is not None:
            x = min(1.0, max(-1.0, (target.yaw - here.yaw) / _EYES))
            y = min(1.0, max(-1.0, (target.pitch - here.pitch) / _EYES))
        self._port.send(GazeCommand(x, y), now)

    def _hold(self, now: float) -> None:
        pose = self.head.pose
        if pose is not None and self._port.joined:
            safe, _ = self.head.clamp(pose.yaw, pose.pitch)
            self._port.send(HeadCommand(safe.yaw, safe.pitch), now)

    def _wish(self, goal: LookAtGoal) -> tuple[float, float]:
        if goal.has_point:
            prefix, point = self._config.frame_prefix, goal.point
            if not of_the_head(point.frame_id, prefix):
                point = self._transform(point, prefix + BASE)
            return towards(point, prefix, *self.position)
        for name, value in (('yaw', goal.yaw), ('pitch', goal.pitch)):
            if math.isnan(value):  # however far is clamped, but nowhere is no direction
                raise ValueError(f'{name} is {value}, needed is an angle in radians')
        return goal.yaw, goal.pitch

    def _conclude(self, ok: bool, reason: str, state: str, now: float) -> Iterator[Any]:
        handle, self._handle = self._handle, ''
        if self._glancing and self._port.joined:
            self._glance(None, now)
        if handle:
            yield self._finish(handle, ok, reason, state)

    def _finish(self, handle: str, ok: bool, reason: str, state: str) -> Finish:
        yaw, pitch = self.position
        return Finish(handle, LookAtResult(ok, self._clamped, reason, yaw, pitch), state)
