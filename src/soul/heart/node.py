"""The heart as a ROS node."""

from __future__ import annotations

from soul.heart.config import HeartConfig
from soul.heart.heart import Heart
from soul.ros.organ import Birth, OrganSpec
from soul.ros.runner import run


def _build(birth: Birth[HeartConfig]) -> Heart:
    return Heart(birth.config, birth.rng, birth.memory)


SPEC = OrganSpec(name='heart', organ=Heart, config=HeartConfig, build=_build)


def main() -> int:
    """Run the heart alone in this process."""
    return run([SPEC])
