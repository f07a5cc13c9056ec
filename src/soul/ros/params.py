"""ROS parameters from a pydantic model: declared with description and range, then validated.

One source for both: the model's field gives the parameter's type, default, description and
range. A wrong value stops the node with the parameter's name, its value and its range.
"""

from __future__ import annotations

import types
import typing
from typing import Any, TypeVar

from annotated_types import Ge, Gt, Le, Lt
from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node

from soul.organ import OrganConfig

Config = TypeVar('Config', bound=OrganConfig)


class CommonConfig(OrganConfig):
    """Parameters that every node has."""

    soul_home: str = Field('', description='Her home directory; empty: SOUL_HOME or ~/.soul.')
    autostart: bool = Field(True, description='Managed nodes configure and activate themselves.')


class ParameterRefused(Exception):
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
        raw[name] = node.declare_parameter(name, _default(field), anything).value
    try:
        config = model.model_validate(raw)
    except ValidationError as error:
        raise ParameterRefused(refusal(node.get_name(), model, raw, error)) from None
    for name, field in model.model_fields.items():
        node.undeclare_parameter(name)
        node.declare_parameter(
            name, _plain(getattr(config, name)), descriptor(field), ignore_override=True
        )
    return config


def descriptor(field: FieldInfo) -> ParameterDescriptor:
    """Describe a field: what it means, its range, read-only."""
    described = ParameterDescriptor(description=field.description or '', read_only=True)
    low, high = bounds(field)
    if _kind(field) is float and (low is not None or high is not None):
        described.floating_point_range = [
            FloatingPointRange(
                from_value=float(low) if low is not None else -1e300,
                to_value=float(high) if high is not None else 1e300,
            )
        ]
    if _kind(field) is int and (low is not None or high is not None):
        described.integer_range = [
            IntegerRange(
                from_value=int(low) if low is not None else -(2**62),
                to_value=int(high) if high is not None else 2**62,
                step=1,
            )
        ]
    return described


def bounds(field: FieldInfo) -> tuple[float | None, float | None]:
    """Lowest and highest value of a field, None where it has none."""
    low = high = None
    for rule in field.metadata:
        if isinstance(rule, (Ge, Gt)):
            low = rule.ge if isinstance(rule, Ge) else rule.gt
        if isinstance(rule, (Le, Lt)):
            high = rule.le if isinstance(rule, Le) else rule.lt
    return low, high  # type: ignore[return-value]


def refusal(
    node: str, model: type[OrganConfig], raw: dict[str, Any], error: ValidationError
) -> str:
    """Say in words which parameters are wrong."""
    lines = []
    for problem in error.errors():
        name = str(problem['loc'][0]) if problem['loc'] else ''
        if name not in model.model_fields:
            lines.append(f'{node}: {problem["msg"]}')
            continue
        lines.append(
            f'{node}: parameter {name} is {raw.get(name)!r}, allowed is '
            f'{allowed(model.model_fields[name])} ({problem["msg"]})'
        )
    return '\n'.join(lines)


def allowed(field: FieldInfo) -> str:
    """Say in words what a field accepts."""
    choices = typing.get_args(field.annotation)
    if typing.get_origin(field.annotation) is typing.Literal:
        return 'one of ' + ', '.join(repr(choice) for choice in choices)
    kind = {float: 'a number', int: 'a whole number', bool: 'true or false', str: 'a text'}.get(
        _kind(field), 'a list'
    )
    low, high = bounds(field)
    if low is not None and high is not None:
        return f'{kind} from {low:g} to {high:g}'
    if low is not None:
        return f'{kind} of at least {low:g}'
    return f'{kind} of at most {high:g}' if high is not None else kind


def _kind(field: FieldInfo) -> Any:
    """Return the plain type behind a field's annotation."""
    annotation = field.annotation
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return type(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return next(a for a in typing.get_args(annotation) if a is not type(None))
    return origin or annotation


def _default(field: FieldInfo) -> Any:
    return _plain(field.get_default(call_default_factory=True))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
