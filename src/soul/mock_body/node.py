"""The simulated device as a ROS node: ROS only pokes it, the rest goes over the pty."""

from __future__ import annotations

from soul import graph
from soul.ros.main import run

SPEC = graph.node('mock_body').load()


def main() -> int:
    """Run the simulated device alone in this process; return the exit code."""
    return run([SPEC])
