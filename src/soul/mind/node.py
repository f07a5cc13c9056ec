"""The mind as a managed ROS node: while it is inactive, nothing is spent."""

from __future__ import annotations

from soul import graph
from soul.ros.main import run

SPEC = graph.node('mind').load()


def main() -> int:
    """Run the mind alone in this process; return the exit code."""
    return run([SPEC])
