"""The guard as a ROS node."""

from __future__ import annotations

from soul.guard.config import GuardConfig
from soul.guard.guard import Guard
from soul.guard.make import make
from soul.ros.organ import OrganSpec
from soul.ros.runner import run

SPEC = OrganSpec(name='guard', organ=Guard, config=GuardConfig, build=make)


def main() -> int:
    """Run the guard alone in this process."""
    return run([SPEC])
