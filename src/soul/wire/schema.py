"""The messages of soul-serial 1.0: what is accepted satisfies their types.

Unknown keys are ignored, so that a minor version may add some.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import ValidationError

from soul.wire.device_frames import (
    Ack,
    Credit,
    DeviceFrame,
    DeviceHb,
    DeviceHello,
    DevicePcm,
    DoneFrame,
    Env,
    Evt,
    HeardText,
    ImuFrame,
    Joint,
    Jpg,
    Limits,
    Log,
    Power,
    Seen,
    Temp,
    TouchFrame,
    Welcome,
)
from soul.wire.fields import Frame
from soul.wire.host_frames import (
    Bright,
    Cam,
    Command,
    Face,
    Gaze,
    Head,
    HostHb,
    HostHello,
    Led,
    Mic,
    Mouth,
    Pcm,
    Say,
    Spk,
    Stop,
    Torque,
    Vol,
    Want,
)

__all__ = [
    'Ack',
    'BadFieldError',
    'Bright',
    'Cam',
    'Command',
    'Credit',
    'DEVICE_FRAMES',
    'DeviceFrame',
    'DeviceHb',
    'DeviceHello',
    'DevicePcm',
    'DoneFrame',
    'Env',
    'Evt',
    'Face',
    'Frame',
    'Gaze',
    'Head',
    'HOST_FRAMES',
    'HeardText',
    'HostHb',
    'HostHello',
    'ImuFrame',
    'Joint',
    'Jpg',
    'Led',
    'Limits',
    'Log',
    'Mic',
    'Mouth',
    'parse',
    'Pcm',
    'Power',
    'Say',
    'SchemaError',
    'Seen',
    'Spk',
    'Stop',
    'Temp',
    'Torque',
    'TouchFrame',
    'UnsupportedError',
    'Vol',
    'Want',
    'Welcome',
]


class SchemaError(ValueError):
    """A message that says nothing we understand; `why` is the reason on the wire."""

    why = 'bad_field'


class UnsupportedError(SchemaError):
    """A type of message that this side does not know."""

    why = 'unsupported'


class BadFieldError(SchemaError):
    """A field that is missing or wrong."""


def _table(*types: type[Frame]) -> dict[str, type[Frame]]:
    return {get_args(frame.model_fields['t'].annotation)[0]: frame for frame in types}


#: What a host may say.
HOST_FRAMES = _table(
    HostHello, HostHb, Head, Torque, Face, Gaze, Mouth, Led, Say, Spk, Pcm, Mic, Cam, Vol, Bright,
    Stop,
)  # fmt: skip
#: What a device may say.
DEVICE_FRAMES = _table(
    DeviceHello, Welcome, Joint, TouchFrame, Evt, ImuFrame, Power, Env, Temp, DevicePcm, Jpg, Seen,
    HeardText,
    Credit, Ack, DoneFrame, DeviceHb, Log,
)  # fmt: skip


def parse(message: Mapping[str, Any], table: Mapping[str, type[Frame]]) -> Frame:
    """Make a typed message of a decoded frame.

    Raises:
    ------
    UnsupportedError
        If `table` has no such type of message.
    BadFieldError
        If a field is missing or wrong; says which.
    """
    kind = message.get('t')
    found = table.get(kind) if isinstance(kind, str) else None
    if found is None:
        raise UnsupportedError(f'unknown type of message {kind!r}')
    try:
        return found.model_validate(message)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = '.'.join(str(part) for part in first['loc'])
        raise BadFieldError(f'{kind}.{where}: {first["msg"]}') from error
