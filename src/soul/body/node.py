"""The body twin as a ROS node."""

from __future__ import annotations

from soul.body.config import BodyConfig
from soul.body.make import make
from soul.body.twin import BodyTwin
from soul.ros.organ import OrganSpec
from soul.ros.runner import run

SPEC = OrganSpec(name='body_twin', organ=BodyTwin, config=BodyConfig, build=make)


def main() -> int:
    """Run the body twin alone in this process."""
    return run([SPEC])
