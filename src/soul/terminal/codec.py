"""Signals as JSON and back; a reader is built once per type from its fields.

What is newer on the other side is passed over, what is older is as the type says by default, so
that a command and a soul of different versions understand each other as far as they can.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from typing import Any

import soul.signals

Reader = Callable[[Any], Any]


class NotASignal(ValueError):
    """A value that is none of the expected type; says at which field."""


def to_plain(value: Any) -> Any:
    """Return a signal as values that JSON knows; bytes as base64."""
    if dataclasses.is_dataclass(value):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_plain(one) for one in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode('ascii')
    return value


def from_plain(kind: type, value: Any) -> Any:
    """Return the signal of type `kind` that `value` describes.

    Raises
    ------
    NotASignal
        If it describes none.
    """
    return _signal(kind)(value)


def kind_of(name: str) -> type:
    """Return the signal type of a name.

    Raises
    ------
    NotASignal
        If there is none.
    """
    kind = getattr(soul.signals, name, None) if name in soul.signals.__all__ else None
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
        raise NotASignal(f'{name[:100]!r} is no type of signal')
    return kind


@functools.cache
def _signal(kind: type, path: str = '') -> Reader:
    hints = typing.get_type_hints(kind)
    steps = {
        f.name: _value(hints[f.name], f'{path}.{f.name}' if path else f.name)
        for f in dataclasses.fields(kind)
    }

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise NotASignal(f'{path or "it"} is no {kind.__name__}')
        given = {name: step(value[name]) for name, step in steps.items() if name in value}
        try:
            return kind(**given)
        except TypeError as error:
            raise NotASignal(f'{path or "it"} is no whole {kind.__name__}: {error}') from None

    return read


def _value(hint: Any, path: str) -> Reader:
    if typing.get_origin(hint) is tuple:
        return _list(_value(typing.get_args(hint)[0], f'{path}[]'), path)
    if hint is bytes:
        return functools.partial(_bytes, path)
    if dataclasses.is_dataclass(hint):
        return _signal(typing.cast(type, hint), path)
    kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)

    def read(value: Any) -> Any:
        if type(value) in kinds:
            return value
        if float in kinds and type(value) is int:
            return _float(value, path)
        raise NotASignal(f'{path} is a {type(value).__name__}')

    return read


def _float(value: int, path: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise NotASignal(f'{path} is too large a number') from None


def _list(each: Reader, path: str) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise NotASignal(f'{path} is no list')
        return tuple(each(one) for one in value)

    return read


def _bytes(path: str, value: Any) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise NotASignal(f'{path} is no base64') from None
