"""Where to look: directions in words as angles of the head."""

from __future__ import annotations

import math

from soul.signals import LookAtGoal, LookRequest

#: Direction -> yaw (left positive) and pitch (down positive), radians.
DIRECTIONS = {
    'ahead': (0.0, -0.35),
    'left': (0.8, -0.35),
    'right': (-0.8, -0.35),
    'up': (0.0, -1.0),
    'down': (0.0, -0.1),
}


def goal(request: LookRequest) -> LookAtGoal | str | None:
    """Turn a request into a goal of the head.

    Returns
    -------
    LookAtGoal, str or None
        The goal without an act id; why it is none; or None if only a picture is wanted.
    """
    if request.has_point:
        point = request.point
        for name, value in (('x', point.x), ('y', point.y), ('z', point.z)):
            if not math.isfinite(value):
                return f'{name} of the point is {value}, needed is a finite length in metres'
        if not point.frame_id and point.x == point.y == point.z == 0.0:
            return 'the point is (0, 0, 0) m in no frame: say where she is to look'
        return LookAtGoal(has_point=True, point=request.point)
    direction = request.direction.strip().lower()
    if direction in DIRECTIONS:
        yaw, pitch = DIRECTIONS[direction]
        return LookAtGoal(yaw=yaw, pitch=pitch)
    if direction:
        return f'direction is {direction!r}, allowed is one of {", ".join(DIRECTIONS)}'
    if request.capture or request.question:
        return None
    return 'say a direction, a point, a question, or that a picture is wanted'
