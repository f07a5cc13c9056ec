"""The one border between the signals and ROS messages, both ways.

A writer and a reader are built once per signal type from its fields. Only a few types differ in
form from their message; they stand in `foreign.py`.
"""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Callable
from typing import Any, TypeVar

import soul_msgs.action
import soul_msgs.msg
import soul_msgs.srv

from soul.ros import foreign
from soul.ros.times import duration_to_ros, time_from_ros, time_to_ros
from soul.text.printable import clean_text

_SERVICE = {'Request': 'Request', 'Answer': 'Response'}
_ACTION = ('Goal', 'Result', 'Feedback')


F = TypeVar('F', bound=Callable[..., Any])


def _cache(function: F) -> F:
    """Cache for ever; typed as the function itself."""
    return typing.cast(F, functools.cache(function))


@_cache
def ros_class(signal_type: type) -> type:
    """Find the ROS class of a signal type.

    Raises
    ------
    AttributeError
        If soul_msgs has none of that name.
    """
    if signal_type in foreign.CLASSES:
        return foreign.CLASSES[signal_type]
    name = signal_type.__name__
    for suffix, part in _SERVICE.items():
        if name.endswith(suffix):
            return getattr(service_class(signal_type), part)
    for suffix in _ACTION:
        if name.endswith(suffix):
            action = getattr(soul_msgs.action, name.removesuffix(suffix))
            return getattr(action, suffix)
    return getattr(soul_msgs.msg, name)


@_cache
def service_class(request_type: type) -> type:
    """Find the ROS service of a request or answer type."""
    if request_type in foreign.SERVICES:
        return foreign.SERVICES[request_type]
    name = request_type.__name__.removesuffix('Request').removesuffix('Answer')
    return getattr(soul_msgs.srv, name)


@_cache
def action_class(goal_type: type) -> type:
    """Find the ROS action of a goal type."""
    return getattr(soul_msgs.action, goal_type.__name__.removesuffix('Goal'))


def to_ros(signal: Any) -> Any:
    """Convert a signal to a new ROS message."""
    message = ros_class(type(signal))()
    fill(signal, message)
    return message


def fill(signal: Any, message: Any) -> None:
    """Convert a signal into an existing ROS message (a service's response)."""
    _writer(type(signal))(signal, message)


def from_ros(message: Any, signal_type: type) -> Any:
    """Convert a ROS message to a signal of `signal_type`."""
    return _reader(signal_type)(message)


@_cache
def _writer(signal_type: type) -> Callable[[Any, Any], None]:
    if signal_type in foreign.WRITERS:
        return foreign.WRITERS[signal_type]
    slots = ros_class(signal_type).get_fields_and_field_types()  # type: ignore[attr-defined]
    hints = typing.get_type_hints(signal_type)
    steps: list[tuple[str, Callable[[Any], Any]]] = []
    stamped = 'header' in slots
    for field in dataclasses.fields(signal_type):
        if field.name == 'stamp' and stamped:
            continue
        steps.append((field.name, _to_value(hints[field.name], slots[field.name])))

    def write(signal: Any, message: Any) -> None:
        if stamped:
            message.header.stamp = time_to_ros(signal.stamp)
        for name, step in steps:
            setattr(message, name, step(getattr(signal, name)))

    return write


def _to_value(hint: Any, slot: str) -> Callable[[Any], Any]:
    if typing.get_origin(hint) is tuple:
        inner = _to_value(typing.get_args(hint)[0], slot)
        return lambda values: [inner(value) for value in values]
    if hint is str:
        return clean_text
    if hint is float:
        return {
            'builtin_interfaces/Time': time_to_ros,
            'builtin_interfaces/Duration': duration_to_ros,
        }.get(slot, float)
    if hint in (int, bool):
        return hint
    return to_ros


@_cache
def _reader(signal_type: type) -> Callable[[Any], Any]:
    if signal_type in foreign.READERS:
        return foreign.READERS[signal_type]
    slots = ros_class(signal_type).get_fields_and_field_types()  # type: ignore[attr-defined]
    hints = typing.get_type_hints(signal_type)
    steps: list[tuple[str, Callable[[Any], Any]]] = []
    for field in dataclasses.fields(signal_type):
        if field.name == 'stamp' and 'header' in slots:
            steps.append(('header', lambda header: time_from_ros(header.stamp)))
        else:
            steps.append((field.name, _from_value(hints[field.name], slots[field.name])))

    def read(message: Any) -> Any:
        return signal_type(*[step(getattr(message, name)) for name, step in steps])

    return read


def _from_value(hint: Any, slot: str) -> Callable[[Any], Any]:
    if typing.get_origin(hint) is tuple:
        inner = _from_value(typing.get_args(hint)[0], slot)
        return lambda values: tuple([inner(value) for value in values])
    if slot in ('builtin_interfaces/Time', 'builtin_interfaces/Duration'):
        return time_from_ros
    if hint in (str, float, int, bool):
        return _same
    return _reader(hint)


def _same(value: Any) -> Any:
    return value
