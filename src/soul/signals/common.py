"""Values that several signals carry and that ROS has its own messages for."""

from __future__ import annotations

from dataclasses import dataclass

from soul.signals.limits import Blob, Kind, Line, Metres, Moment, Name


@dataclass(frozen=True, slots=True)
class Point:
    """A point in a frame (geometry_msgs/PointStamped): metres, x forward, y left, z up."""

    stamp: Moment = 0.0
    frame_id: Name = ''
    x: Metres = 0.0
    y: Metres = 0.0
    z: Metres = 0.0


@dataclass(frozen=True, slots=True)
class Picture:
    """A compressed picture (sensor_msgs/CompressedImage); `format` is jpeg or png."""

    stamp: Moment = 0.0
    frame_id: Name = ''
    format: Kind = ''
    data: Blob = b''


@dataclass(frozen=True, slots=True)
class KeyValue:
    """A named value in words (diagnostic_msgs/KeyValue)."""

    key: Name = ''
    value: Line = ''
