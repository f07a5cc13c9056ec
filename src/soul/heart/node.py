"""The heart as a ROS node."""

from __future__ import annotations

from soul.heart.config import HeartConfig
from soul.heart.heart import Heart
from soul.heart.make import make
from soul.ros.organ import OrganSpec
from soul.ros.runner import run

SPEC = OrganSpec(name='heart', organ=Heart, config=HeartConfig, build=make)


def main() -> int:
    """Run the heart alone in this process."""
    return run([SPEC])
