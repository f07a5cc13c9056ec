"""The mind as a managed ROS node: while it is inactive, nothing is spent."""

from __future__ import annotations

from soul.mind.config import MindConfig
from soul.mind.make import make
from soul.mind.organ import MindOrgan
from soul.ros.organ import OrganSpec
from soul.ros.runner import run

SPEC = OrganSpec(name='mind', organ=MindOrgan, config=MindConfig, build=make, managed=True)


def main() -> int:
    """Run the mind alone in this process."""
    return run([SPEC])
