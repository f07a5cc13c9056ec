"""Quality-of-service profiles as functions; rclpy's own profile objects are mutable."""

from __future__ import annotations

from rclpy.duration import Duration
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
    qos_profile_sensor_data,
)

from soul.core.interfaces import LATCHED, LEASE_SECONDS, LEASED, READER_DEPTH, SENSOR

EVENT_DEPTH = 50
SENSOR_DEPTH = 5


def latched(depth: int = 1) -> QoSProfile:
    """State that late joiners get, too."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )


def leased(depth: int = 1) -> QoSProfile:
    """Latched state whose publisher is noticed when it dies."""
    profile = latched(depth)
    profile.liveliness = LivelinessPolicy.AUTOMATIC
    profile.liveliness_lease_duration = Duration(seconds=LEASE_SECONDS)
    return profile


def event() -> QoSProfile:
    """Events and commands: reliable, never kept for late joiners."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=EVENT_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.VOLATILE,
    )


def sensor_publisher() -> QoSProfile:
    """Readings as published: reliable, so that reliable and best-effort readers both match."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=SENSOR_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.VOLATILE,
    )


def sensor_reader() -> QoSProfile:
    """Readings as heard: best effort, which matches any robot's publisher."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=qos_profile_sensor_data.depth,
        reliability=ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.VOLATILE,
    )


def service() -> QoSProfile:
    """Requests and answers: reliable, and however many come at once, none pushes out another."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_ALL,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.VOLATILE,
    )


def silent_publisher() -> PublisherEventCallbacks:
    """No event of a publisher: a reader that does not fit says so itself.

    Each kind of event is one more thing that an executor has to look at before each message.
    """
    return PublisherEventCallbacks(use_default_callbacks=False)


def for_publisher(topic: str) -> QoSProfile:
    """Profile of the publisher of `topic`."""
    if topic in LEASED:
        return leased()
    if topic in LATCHED:
        return latched()
    return sensor_publisher() if topic in SENSOR else event()


def for_reader(topic: str) -> QoSProfile:
    """Profile of a reader of `topic`; a reader asks for a lease only to watch it."""
    if topic in LEASED:
        return leased()
    if topic in LATCHED:
        return latched(READER_DEPTH.get(topic, 1))
    return sensor_reader() if topic in SENSOR else event()
