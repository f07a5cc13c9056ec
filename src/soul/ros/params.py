"""ROS parameters from a pydantic model: declared with description and range, then validated.

One source for both: the model's field gives the parameter's type, default, description and
range. A wrong value stops the node with the parameter's name, its value and its range.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node

from soul.core.config_text import allowed, bounds, field_default, field_kind, plain
from soul.core.organ import OrganConfig, StartRefused

Config = TypeVar('Config', bound=OrganConfig)


class CommonConfig(OrganConfig):
    """Parameters that every node has."""

    soul_home: str = Field('', description='Her home directory; empty: SOUL_HOME or ~/.soul.')
    autostart: bool = Field(True, description='Managed nodes configure and activate themselves.')
    use_intra_process_comms: bool = Field(
        True,
        description='Organs of one process hear and ask each other directly; on DDS what they '
        'say is for everybody else.',
    )
    executor: Literal['wait_set', 'rclpy'] = Field(
        'wait_set',
        description="What runs the node's callbacks: an executor that keeps its wait set, or "
        "rclpy's own, which takes more of the processor.",
    )


class ParameterRefused(StartRefused):
    """One or more parameters have values the node cannot live with."""


def declare(node: Node, model: type[Config]) -> Config:
    """Declare every field of `model` as a parameter of `node` and read the values.

    Whole numbers are accepted where a float is expected.

    Raises
    ------
    ParameterRefused
        Naming each wrong parameter, its value and its range.
    """
    raw = {}
    for name, field in model.model_fields.items():
        # Read as it comes first: rclpy's own refusals do not name value and range together.
        anything = ParameterDescriptor(dynamic_typing=True)
        value = node.declare_parameter(name, field_default(field), anything).value
        # rcl knows no type for a list without entries, and hands it on as not set
        raw[name] = [] if value is None and field_kind(field) is tuple else value
    try:
        config = model.model_validate(raw)
    except ValidationError as error:
        raise ParameterRefused(refusal(node.get_name(), model, raw, error)) from None
    for name, field in model.model_fields.items():
        node.undeclare_parameter(name)
        node.declare_parameter(
            name, plain(getattr(config, name)), descriptor(field), ignore_override=True
        )
    return config


def known_names(model: type[OrganConfig]) -> set[str]:
    """Names of all parameters of a node with this configuration."""
    return {*CommonConfig.model_fields, *model.model_fields}


def descriptor(field: FieldInfo) -> ParameterDescriptor:
    """Describe a field: what it means, its range, read-only."""
    described = ParameterDescriptor(description=field.description or '', read_only=True)
    low, high = bounds(field)
    if field_kind(field) is float and (low is not None or high is not None):
        described.floating_point_range = [
            FloatingPointRange(
                from_value=float(low) if low is not None else -1e300,
                to_value=float(high) if high is not None else 1e300,
            )
        ]
    if field_kind(field) is int and (low is not None or high is not None):
        described.integer_range = [
            IntegerRange(
                from_value=int(low) if low is not None else -(2**62),
                to_value=int(high) if high is not None else 2**62,
                step=1,
            )
        ]
    return described


def refusal(
    node: str, model: type[OrganConfig], raw: dict[str, Any], error: ValidationError
) -> str:
    """Say in words which parameters are wrong."""
    lines = []
    for problem in error.errors():
        name = str(problem['loc'][0]) if problem['loc'] else ''
        if name not in model.model_fields:
            lines.append(f'{node}: {problem["msg"].removeprefix("Value error, ")}')
            continue
        lines.append(
            f'{node}: parameter {name} is {raw.get(name)!r}, allowed is '
            f'{allowed(model.model_fields[name])} ({problem["msg"]})'
        )
    return '\n'.join(lines)
