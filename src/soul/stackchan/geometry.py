"""Between the robot's frames (radians, metres; REP-103) and the device's angles (0.1 degree).

The chain is base_link -> head_yaw_link -> head_pitch_link -> camera_link, the same as in
`config/stackchan.urdf`. In ROS yaw is positive to the left and pitch positive downwards.
"""

from __future__ import annotations

import math

from soul.signals import Point
from soul.stackchan.pose_belief import Pose

BASE = 'base_link'
YAW = 'head_yaw_link'
PITCH = 'head_pitch_link'
CAMERA = 'camera_link'
YAW_JOINT = 'head_yaw_joint'
PITCH_JOINT = 'head_pitch_joint'

#: Height of the yaw frame above the base, of the pitch axis above that, m.
YAW_Z = 0.045
PITCH_Z = 0.02
#: Where the camera is in the pitch frame, m.
CAMERA_X = 0.03
CAMERA_Z = 0.02

_RADIANS = math.pi / 1800.0
_NEAREST = 0.05  # m; what is nearer cannot be looked at


def to_radians(pose: Pose, yaw_sign: int) -> tuple[float, float]:
    """Yaw and pitch of the joints, rad."""
    return yaw_sign * pose.yaw * _RADIANS, -pose.pitch * _RADIANS


def to_device(yaw: float, pitch: float, yaw_sign: int) -> tuple[float, float]:
    """Angles of the device, 0.1 degree; infinite or NaN ones stay so."""
    return yaw_sign * yaw / _RADIANS, -pitch / _RADIANS


def of_the_head(frame_id: str, prefix: str) -> bool:
    """Whether a frame is one of the chain; the empty one is its base."""
    return frame_id.removeprefix(prefix) in ('', BASE, YAW, PITCH, CAMERA)


def towards(point: Point, prefix: str, yaw: float, pitch: float) -> tuple[float, float]:
    """Yaw and pitch at which the camera looks at `point` in a frame of the head, rad.

    Parameters
    ----------
    prefix
        Put before the names of the robot's frames.
    yaw, pitch
        Where the head is now, rad; matters for points in a frame that turns with it.

    Raises:
    ------
    ValueError
        If the point is none to look at; says why.
    """
    x, y, z = point.x, point.y, point.z
    for name, value in (('x', x), ('y', y), ('z', z)):
        if not math.isfinite(value):
            raise ValueError(f'{name} of the point is {value}, needed is a finite length in m')
    frame = point.frame_id.removeprefix(prefix)
    if frame == CAMERA:
        x, z = x + CAMERA_X, z + CAMERA_Z
    if frame in (CAMERA, PITCH):
        x, z = x * math.cos(pitch) + z * math.sin(pitch), z * math.cos(pitch) - x * math.sin(pitch)
        z += PITCH_Z
    if frame in (CAMERA, PITCH, YAW):
        x, y = x * math.cos(yaw) - y * math.sin(yaw), x * math.sin(yaw) + y * math.cos(yaw)
        z += YAW_Z
    ahead, up = math.hypot(x, y), z - YAW_Z - PITCH_Z
    distance = math.hypot(ahead, up)
    if ahead < _NEAREST and -YAW_Z - PITCH_Z <= up < _NEAREST:
        where = f'({point.x:g}, {point.y:g}, {point.z:g})'
        raise ValueError(f'the point is {where} m in {point.frame_id or BASE}: inside the robot')
    # The camera sits above the axis it turns around, so its line of sight passes beside it.
    above = math.asin(min(1.0, CAMERA_Z / distance))
    return math.atan2(y, x) if ahead > 1e-6 else yaw, above - math.atan2(up, ahead)
