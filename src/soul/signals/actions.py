"""Goals, results and feedback of what moves, speaks and can be cancelled.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from soul.signals.common import Point


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

    act_id: str = ''
    text: str = ''
    emotion: str = ''


@dataclass(frozen=True, slots=True)
class SayResult:
    """How a :class:`SayGoal` ended."""

    outcome: str = ''
    reason: str = ''
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SayFeedback:
    """Progress of a :class:`SayGoal`."""

    state: str = ''
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class LookAtGoal:
    """Turn the head, within its safe range and speed."""

    act_id: str = ''
    has_point: bool = False
    point: Point = Point()
    yaw: float = 0.0
    pitch: float = 0.0


@dataclass(frozen=True, slots=True)
class LookAtResult:
    """How a :class:`LookAtGoal` ended."""

    ok: bool = False
    clamped: bool = False
    reason: str = ''
    yaw: float = math.nan
    pitch: float = math.nan


@dataclass(frozen=True, slots=True)
class LookAtFeedback:
    """Progress of a :class:`LookAtGoal`."""

    yaw: float = math.nan
    pitch: float = math.nan
