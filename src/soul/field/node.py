"""The field as a ROS node."""

from __future__ import annotations

from soul.field.config import FieldConfig
from soul.field.field import Field
from soul.field.make import make
from soul.ros.organ import OrganSpec
from soul.ros.runner import run

SPEC = OrganSpec(name='field', organ=Field, config=FieldConfig, build=make)


def main() -> int:
    """Run the field alone in this process."""
    return run([SPEC])
