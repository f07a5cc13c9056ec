"""Goals, results and feedback of what moves, speaks and can be cancelled.

Units and meanings stand beside the fields as in the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from soul.signals.common import Point
from soul.signals.limits import Angle, Kind, KnownAngle, Line, Name, Seconds, Text


class SayState:
    """States and outcomes of saying something."""

    ACCEPTED = 'accepted'
    PLAYING = 'playing'
    DONE = 'done'
    ABORTED = 'aborted'
    UNCERTAIN = 'uncertain'


@dataclass(frozen=True, slots=True)
class SayGoal:
    """Say a text through the body, at most once per act_id."""

    act_id: Name = ''  # the same id never speaks twice
    text: Text = ''
    emotion: Kind = ''


@dataclass(frozen=True, slots=True)
class SayResult:
    """How a :class:`SayGoal` ended."""

    outcome: Kind = ''  # DONE, ABORTED or UNCERTAIN
    reason: Line = ''
    duration: Seconds = 0.0  # s; of speech


@dataclass(frozen=True, slots=True)
class SayFeedback:
    """Progress of a :class:`SayGoal`."""

    state: Kind = ''  # ACCEPTED or PLAYING
    elapsed: Seconds = 0.0  # s; since it was accepted


@dataclass(frozen=True, slots=True)
class LookAtGoal:
    """Turn the head, within its safe range and speed."""

    act_id: Name = ''
    has_point: bool = False
    point: Point = Point()  # used if has_point
    yaw: Angle = 0.0  # radians, left positive; used without a point
    pitch: Angle = 0.0  # radians, down positive; used without a point


@dataclass(frozen=True, slots=True)
class LookAtResult:
    """How a :class:`LookAtGoal` ended."""

    ok: bool = False
    clamped: bool = False  # the safe range did not reach as far
    reason: Line = ''
    yaw: KnownAngle = math.nan  # where the head is now, radians; NaN unknown
    pitch: KnownAngle = math.nan


@dataclass(frozen=True, slots=True)
class LookAtFeedback:
    """Progress of a :class:`LookAtGoal`."""

    yaw: KnownAngle = math.nan  # radians; NaN unknown
    pitch: KnownAngle = math.nan
