"""An organ's health on /diagnostics."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from soul.core.organ import Health
from soul.ros import qos

LEVELS = {
    'ok': DiagnosticStatus.OK,
    'warn': DiagnosticStatus.WARN,
    'error': DiagnosticStatus.ERROR,
}
#: Seconds between two reports; aggregators call a source stale after 5 s by default.
PERIOD = 2.0


class Diagnostics:
    """Publishes what `health` says, once every :data:`PERIOD` and whenever told to."""

    def __init__(self, node: Node, hardware_id: str, health: Callable[[], Health]) -> None:
        self._node = node
        self._health = health
        self._hardware_id = hardware_id
        self._publisher = node.create_publisher(
            DiagnosticArray, '/diagnostics', qos.event(), event_callbacks=qos.silent_publisher()
        )
        # Real time: a diagnostic must not go silent because a simulation is paused.
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(PERIOD, self.publish, clock=clock)

    def publish(self) -> None:
        """Publish the state of health now."""
        health = self._health()
        status = DiagnosticStatus(
            level=LEVELS[health.level],
            name=self._node.get_fully_qualified_name().lstrip('/'),
            message=health.message,
            hardware_id=self._hardware_id,
            values=[KeyValue(key=k, value=str(v)) for k, v in health.values.items()],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)
