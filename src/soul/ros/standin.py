"""Stands in for an organ that stays down: it only says so, on /diagnostics."""

from __future__ import annotations

from rclpy.context import Context
from rclpy.node import Node

from soul.core.organ import Health
from soul.core.supervision import Supervisor
from soul.ros.diagnostics import Diagnostics


class StandIn:
    """A node of the organ's name without anything of the organ.

    Who asks the organ for something finds nobody: that is the truth, and every client of hers
    has an answer for it.
    """

    def __init__(
        self,
        name: str,
        hardware_id: str,
        supervisor: Supervisor,
        context: Context,
        namespace: str | None,
        arguments: list[str] | None,
    ) -> None:
        self.node = Node(
            name,
            context=context,
            namespace=namespace,
            cli_args=arguments,
            start_parameter_services=False,
        )
        self._diagnostics = Diagnostics(
            self.node, hardware_id, lambda: supervisor.health(Health('error'))
        )
        self._diagnostics.publish()

    def destroy(self) -> None:
        """Let go of the node; after its executor has ended."""
        self.node.destroy_node()
