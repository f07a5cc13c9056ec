"""Times and durations: seconds here, builtin_interfaces there."""

from __future__ import annotations

import math

from builtin_interfaces.msg import Duration, Time

NANOSECONDS = 1_000_000_000
#: Longest duration that a message can hold, s.
LONGEST_SECONDS = 2**31 - 1.0


def time_to_ros(seconds: float) -> Time:
    """Seconds of the node's clock as a ROS time; what is before zero is zero."""
    whole = max(0, math.floor(seconds * 1e9 + 0.5))
    return Time(sec=whole // NANOSECONDS, nanosec=whole % NANOSECONDS)


def duration_to_ros(seconds: float) -> Duration:
    """Seconds as a ROS duration; what none can be is the longest, or -1 s if it is no number."""
    if seconds != seconds:
        seconds = -1.0
    seconds = max(-LONGEST_SECONDS, min(seconds, LONGEST_SECONDS))
    whole = math.floor(seconds * 1e9 + 0.5)
    return Duration(sec=whole // NANOSECONDS, nanosec=whole % NANOSECONDS)


def time_from_ros(time: Time | Duration) -> float:
    """Seconds of a ROS time or duration."""
    return float(time.sec + time.nanosec * 1e-9)
