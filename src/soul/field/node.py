"""The field as a ROS node."""

from __future__ import annotations

from soul import graph
from soul.ros.main import run

SPEC = graph.node('field').load()


def main() -> int:
    """Run the field alone in this process; return the exit code."""
    return run([SPEC])
