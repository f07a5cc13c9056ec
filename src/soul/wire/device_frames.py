"""What a device may say."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from soul.wire.fields import (
    Angle,
    Base64,
    Frame,
    Id,
    Index,
    Millis,
    Range,
    Reading,
    Short,
    Strict,
    Text,
    Triple,
    Uint32,
    Version,
    Word,
    Words,
    Zones,
)
from soul.wire.host_frames import Pcm


class DeviceFrame(Frame):
    """A message of the device; `up` is its monotonic clock, ms."""

    up: Millis


class Limits(Strict):
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
    """Frame `evt`: something happened to the device."""

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
    """Frame `env`: light, lux, and nearness."""

    t: Literal['env']
    lux: Reading | None = None
    prox: Reading | None = None


class Temp(DeviceFrame):
    """Temperature of the body."""

    t: Literal['temp']
    c: Reading | None


class DevicePcm(Pcm, DeviceFrame):
    """A piece of sound from the microphone: 16 bit, little-endian, mono."""

    rate: Annotated[int, Field(ge=8000, le=48_000)] = 16_000  # Hz


class Jpg(DeviceFrame):
    """Piece `k` of `n` of the picture `f`."""

    t: Literal['jpg']
    f: Uint32
    k: Index
    n: Annotated[int, Field(ge=1, le=1024)]
    b64: Base64


class Seen(DeviceFrame):
    """What a body sees that sees in words: the answer to the `cam` command `id`."""

    t: Literal['seen']
    id: Id
    text: Text


class HeardText(DeviceFrame):
    """What somebody said to a body that understands words itself."""

    t: Literal['heard']
    text: Text


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


class DoneFrame(DeviceFrame):
    """The end of a command that takes time; not `sure`: it may have been done or not."""

    t: Literal['done']
    id: Id
    ok: bool
    sure: bool = True
    why: Word = ''


class DeviceHb(DeviceFrame):
    """Frame `hb` of the device: it lives."""

    t: Literal['hb']


class Log(DeviceFrame):
    """A line for people; `warn`: something that they should see to."""

    t: Literal['log']
    warn: bool = False
    text: Text = ''
