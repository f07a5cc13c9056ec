"""The body twin as a ROS node."""

from __future__ import annotations

from soul.body import host
from soul.body.config import BodyConfig
from soul.body.twin import BodyTwin
from soul.ros.organ import Birth, OrganSpec
from soul.ros.runner import run


def _build(birth: Birth[BodyConfig]) -> BodyTwin:
    return BodyTwin(birth.config, lambda: host.read(birth.home.path), birth.memory)


SPEC = OrganSpec(name='body_twin', organ=BodyTwin, config=BodyConfig, build=_build)


def main() -> int:
    """Run the body twin alone in this process."""
    return run([SPEC])
