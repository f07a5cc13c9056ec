"""The field as a ROS node."""

from __future__ import annotations

from soul.field.config import FieldConfig
from soul.field.field import Field
from soul.ros.organ import Birth, OrganSpec
from soul.ros.runner import run


def _build(birth: Birth[FieldConfig]) -> Field:
    return Field(birth.config, birth.memory, birth.past)


SPEC = OrganSpec(name='field', organ=Field, config=FieldConfig, build=_build)


def main() -> int:
    """Run the field alone in this process."""
    return run([SPEC])
