"""What a parameter accepts, in words; read off its pydantic field."""

from __future__ import annotations

import types
import typing
from typing import Any

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo


def bounds(field: FieldInfo) -> tuple[float | None, float | None]:
    """Lowest and highest value of a field, None where it has none."""
    low = high = None
    for rule in field.metadata:
        if isinstance(rule, (Ge, Gt)):
            low = rule.ge if isinstance(rule, Ge) else rule.gt
        if isinstance(rule, (Le, Lt)):
            high = rule.le if isinstance(rule, Le) else rule.lt
    return low, high  # type: ignore[return-value]


def allowed(field: FieldInfo) -> str:
    """Say in words what a field accepts."""
    choices = typing.get_args(field.annotation)
    if typing.get_origin(field.annotation) is typing.Literal:
        return 'one of ' + ', '.join(repr(choice) for choice in choices)
    kind = {float: 'a number', int: 'a whole number', bool: 'true or false', str: 'a text'}.get(
        field_kind(field), 'a list'
    )
    low, high = bounds(field)
    if low is not None and high is not None:
        return f'{kind} from {low:g} to {high:g}'
    if low is not None:
        return f'{kind} of at least {low:g}'
    return f'{kind} of at most {high:g}' if high is not None else kind


def field_kind(field: FieldInfo) -> Any:
    """Return the plain type behind a field's annotation."""
    annotation = field.annotation
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return type(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return next(a for a in typing.get_args(annotation) if a is not type(None))
    return origin or annotation


def field_default(field: FieldInfo) -> Any:
    """Return a field's default as a plain value."""
    return plain(field.get_default(call_default_factory=True))


def plain(value: Any) -> Any:
    """Make a list of a tuple; ROS parameters know no tuples."""
    return list(value) if isinstance(value, tuple) else value
