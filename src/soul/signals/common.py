"""Values that several signals carry and that ROS has its own messages for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A point in a frame (geometry_msgs/PointStamped): metres, x forward, y left, z up."""

    stamp: float = 0.0
    frame_id: str = ''
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


@dataclass(frozen=True, slots=True)
class Picture:
    """A compressed picture (sensor_msgs/CompressedImage); `format` is jpeg or png."""

    stamp: float = 0.0
    frame_id: str = ''
    format: str = ''
    data: bytes = b''


@dataclass(frozen=True, slots=True)
class KeyValue:
    """A named value in words (diagnostic_msgs/KeyValue)."""

    key: str = ''
    value: str = ''
