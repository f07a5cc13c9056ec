"""The messages of soul-serial 1.0 as types: what is accepted satisfies them.

Units on the wire: angles 0.1 degree, times ms, voltages mV, currents mA; acceleration m/s^2,
angular velocity rad/s, magnetic field uT, light lux, temperature degrees Celsius. Unknown keys
are ignored, so that a minor version may add some.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)


class SchemaError(ValueError):
    """A message that says nothing we understand; `why` is the reason on the wire."""

    why = 'bad_field'


class UnsupportedError(SchemaError):
    """A type of message that this side does not know."""

    why = 'unsupported'


class BadFieldError(SchemaError):
    """A field that is missing or wrong."""


def _encodable(text: str) -> str:
    """Refuse lone surrogates: JSON can spell them, UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError('not encodable as UTF-8') from error
    return text


def _base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError('no base64') from error
    return text


_clean = AfterValidator(_encodable)

Uint32 = Annotated[int, Field(ge=0, lt=2**32)]
Index = Annotated[int, Field(ge=0, le=9999)]
Millis = Annotated[int, Field(ge=0, lt=2**53)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=16), _clean]
Short = Annotated[str, StringConstraints(max_length=16), _clean]
Word = Annotated[str, StringConstraints(max_length=64), _clean]
Text = Annotated[str, StringConstraints(max_length=4096), _clean]
Base64 = Annotated[str, StringConstraints(max_length=4096), AfterValidator(_base64)]
#: Far beyond any servo's range: such angles are clamped by the device, not refused.
Angle = Annotated[float, Field(ge=-1e9, le=1e9)]
Rate = Annotated[float, Field(ge=0.0, le=100.0)]
Unit = Annotated[float, Field(ge=0.0, le=1.0)]
Signed = Annotated[float, Field(ge=-1.0, le=1.0)]
Reading = Annotated[float, Field(ge=-1e9, le=1e9)]
Zone = Annotated[int, Field(ge=0, le=3)]
# JSON has arrays only: a tuple is taken from one although the rest is strict.
Triple = Annotated[tuple[Reading, Reading, Reading], Field(strict=False)]
Zones = Annotated[tuple[Zone, Zone, Zone], Field(strict=False)]
Version = Annotated[tuple[Index, Index], Field(strict=False)]
Range = Annotated[tuple[Angle, Angle], Field(strict=False)]
Words = Annotated[tuple[Word, ...], Field(strict=False, max_length=64)]
Rgb = Annotated[
    tuple[
        Annotated[int, Field(ge=0, le=255)],
        Annotated[int, Field(ge=0, le=255)],
        Annotated[int, Field(ge=0, le=255)],
    ],
    Field(strict=False),
]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra='ignore', strict=True, allow_inf_nan=False)


class Frame(_Strict):
    """What every message carries."""

    t: str
    q: Uint32
    sid: Short = ''


class Command(Frame):
    """A message of the host; with `id` it is acknowledged."""

    id: Id | None = None
    ttl: Annotated[int, Field(ge=0, le=60_000)] | None = None


class Want(_Strict):
    """Rates at which the host wants to hear things, Hz; 0 never."""

    joint: Rate = 20.0
    imu: Rate = 25.0
    power: Rate = 1.0
    env: Rate = 2.0


class HostHello(Frame):
    """The host's half of the handshake."""

    t: Literal['hello']
    sid: Id
    proto: Version
    want: Want = Want()


class HostHb(Frame):
    """The host lives."""

    t: Literal['hb']


class Head(Command):
    """Turn the head; the last one wins."""

    t: Literal['head']
    yaw: Angle
    pitch: Angle
    ms: Annotated[int, Field(ge=0, le=60_000)] | None = None
    dps: Annotated[float, Field(gt=0.0, le=1000.0)] | None = None


class Torque(Command):
    """Hold the head, or let it go."""

    t: Literal['torque']
    on: bool


class Face(Command):
    """Show a face, `k` how strongly."""

    t: Literal['face']
    name: Word
    k: Unit = 1.0


class Gaze(Command):
    """Move the eyes on the screen."""

    t: Literal['gaze']
    x: Signed
    y: Signed


class Mouth(Command):
    """Open the mouth on the screen."""

    t: Literal['mouth']
    open: Unit


class Led(Command):
    """Set one light, or all of them without `i`."""

    t: Literal['led']
    i: Annotated[int, Field(ge=0, le=255)] | None = None
    all: bool = False
    rgb: Rgb


class Say(Command):
    """Speak with the device's own voice.

    `act` names the utterance beyond sessions and boots: a device that remembers it never
    speaks it again.
    """

    t: Literal['say']
    id: Id
    text: Annotated[Text, StringConstraints(min_length=1)]
    act: Annotated[str, StringConstraints(max_length=128), _clean] = ''


class Spk(Command):
    """Begin, end or abort a stream of sound to the speaker."""

    t: Literal['spk']
    op: Literal['start', 'end', 'abort']
    rate: Annotated[int, Field(ge=8000, le=48_000)] | None = None


class Pcm(Frame):
    """A piece `n` of the stream of sound `st`, either way."""

    t: Literal['pcm']
    st: Uint32
    n: Uint32
    b64: Base64


class Mic(Command):
    """Switch the microphone."""

    t: Literal['mic']
    on: bool


class Cam(Command):
    """Take a picture; the envelope owns `q`, so its quality has a name of its own."""

    t: Literal['cam']
    once: bool = True
    quality: Annotated[int, Field(ge=1, le=100)] = 80


class Vol(Command):
    """Set the loudness."""

    t: Literal['vol']
    v: Unit


class Bright(Command):
    """Set the brightness of the screen; 0 is off."""

    t: Literal['bright']
    v: Unit


class Stop(Command):
    """Freeze the head and be silent, now."""

    t: Literal['stop']


class DeviceFrame(Frame):
    """A message of the device; `up` is its monotonic clock, ms."""

    up: Millis


class Limits(_Strict):
    """What the device's servos allow, 0.1 degree, degrees per second and Hz."""

    yaw: Range = (-1280.0, 1280.0)
    pitch: Range = (50.0, 850.0)
    dps: Annotated[float, Field(gt=0.0, le=1000.0)] = 240.0
    head_hz: Annotated[float, Field(gt=0.0, le=100.0)] = 20.0


class DeviceHello(DeviceFrame):
    """The device says who it is; `boot` changes each time it boots."""

    t: Literal['hello']
    proto: Version
    fw: Word = ''
    hw: Word = ''
    uid: Word = ''
    boot: Word
    rst: Word = ''
    caps: Words = ()
    lim: Limits = Limits()


class Welcome(DeviceHello):
    """The device has joined the session `sid`; it says who it is once more."""

    t: Literal['welcome']  # type: ignore[assignment]
    sid: Id


class Joint(DeviceFrame):
    """Where the head is; null and not ok where it could not be read."""

    t: Literal['joint']
    yaw: Angle | None
    pitch: Angle | None
    moving: bool
    torque: bool
    ok: bool


class TouchFrame(DeviceFrame):
    """Intensity of touch per zone."""

    t: Literal['touch']
    z: Zones


class Evt(DeviceFrame):
    """Something happened."""

    t: Literal['evt']
    name: Word


class ImuFrame(DeviceFrame):
    """Motion; `m` where there is a compass."""

    t: Literal['imu']
    a: Triple
    g: Triple
    m: Triple | None = None


class Power(DeviceFrame):
    """Battery and supply; `ma` is negative while discharging, null is unknown."""

    t: Literal['power']
    mv: Reading | None = None
    ma: Reading | None = None
    pct: Reading | None = None
    chg: bool | None = None
    vbus_mv: Reading | None = None


class Env(DeviceFrame):
    """Light and nearness."""

    t: Literal['env']
    lux: Reading | None = None
    prox: Reading | None = None


class Temp(DeviceFrame):
    """Temperature of the body."""

    t: Literal['temp']
    c: Reading | None


class DevicePcm(Pcm, DeviceFrame):
    """A piece of sound from the microphone."""


class Jpg(DeviceFrame):
    """Piece `k` of `n` of the picture `f`."""

    t: Literal['jpg']
    f: Uint32
    k: Index
    n: Annotated[int, Field(ge=1, le=1024)]
    b64: Base64


class Credit(DeviceFrame):
    """How many bytes of sound the device can take."""

    t: Literal['credit']
    n: Uint32


class Ack(DeviceFrame):
    """What became of a command."""

    t: Literal['ack']
    id: Short
    st: Literal['ok', 'clamped', 'dup', 'nack']
    why: Word = ''


class Done(DeviceFrame):
    """The end of a command that takes time."""

    t: Literal['done']
    id: Id
    ok: bool
    why: Word = ''


class DeviceHb(DeviceFrame):
    """The device lives."""

    t: Literal['hb']


class Log(DeviceFrame):
    """A line for people."""

    t: Literal['log']
    text: Text = ''


def _table(*types: type[Frame]) -> dict[str, type[Frame]]:
    return {get_args(frame.model_fields['t'].annotation)[0]: frame for frame in types}


#: What a host may say.
HOST_FRAMES = _table(
    HostHello, HostHb, Head, Torque, Face, Gaze, Mouth, Led, Say, Spk, Pcm, Mic, Cam, Vol, Bright,
    Stop,
)  # fmt: skip
#: What a device may say.
DEVICE_FRAMES = _table(
    DeviceHello, Welcome, Joint, TouchFrame, Evt, ImuFrame, Power, Env, Temp, DevicePcm, Jpg,
    Credit, Ack, Done, DeviceHb, Log,
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
