"""The heart as a ROS node."""

from __future__ import annotations

from soul import graph
from soul.ros.main import run

SPEC = graph.node('heart').load()


def main() -> int:
    """Run the heart alone in this process; return the exit code."""
    return run([SPEC])
