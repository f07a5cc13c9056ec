"""Points in other frames, by tf2 where it is installed; it is not among the wheels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.time import Time

from soul.ros.times import time_to_ros
from soul.signals import Point

#: Gives a point in another frame; raises ValueError, which says why, if it cannot.
Transform = Callable[[Point, str], Point]


def transform_of(node: Node) -> Transform:
    """Give a node transforms; without tf2 only a refusal."""
    try:
        import tf2_ros
    except ImportError:
        return _without_tf2
    buffer = tf2_ros.Buffer()
    listener = tf2_ros.TransformListener(buffer, node)

    def transform(point: Point, frame: str) -> Point:
        assert listener is not None  # it lives as long as the buffer is asked
        # A point without a time is meant now: the newest transform.
        at = Time.from_msg(time_to_ros(point.stamp)) if point.stamp else Time()
        try:
            found = buffer.lookup_transform(frame, point.frame_id, at)
        except tf2_ros.TransformException as error:
            raise ValueError(
                f'no way from the frame {point.frame_id!r} to {frame}: {error}'
            ) from error
        return _moved(point, frame, found.transform)

    return transform


def _without_tf2(point: Point, frame: str) -> Point:
    raise ValueError(
        f'the frame {point.frame_id!r} is not part of the head, and tf2 is not installed: '
        f'give the point in {frame}'
    )


def _moved(point: Point, frame: str, transform: Any) -> Point:
    """Turn a point by a unit quaternion, then shift it."""
    q, t = transform.rotation, transform.translation
    x, y, z = point.x, point.y, point.z
    # p + 2 w (v x p) + 2 v x (v x p), v the vector part of the quaternion
    cx, cy, cz = _cross((q.x, q.y, q.z), (x, y, z))
    dx, dy, dz = _cross((q.x, q.y, q.z), (cx, cy, cz))
    return Point(
        point.stamp,
        frame,
        x + 2.0 * (q.w * cx + dx) + t.x,
        y + 2.0 * (q.w * cy + dy) + t.y,
        z + 2.0 * (q.w * cz + dz) + t.z,
    )


def _cross(
    a: tuple[float, float, float], b: tuple[float, float, float]
) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
