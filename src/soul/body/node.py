"""The body twin as a ROS node."""

from __future__ import annotations

from soul import graph
from soul.ros.main import run

SPEC = graph.node('body_twin').load()


def main() -> int:
    """Run the body twin alone in this process; return the exit code."""
    return run([SPEC])
