"""What a host may say."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from soul.wire.fields import (
    Angle,
    Base64,
    Frame,
    Id,
    Rate,
    Rgb,
    Signed,
    Strict,
    Text,
    Uint32,
    Unit,
    Version,
    Word,
    clean,
)


class Command(Frame):
    """A message of the host; with `id` it is acknowledged."""

    id: Id | None = None
    ttl: Annotated[int, Field(ge=0, le=60_000)] | None = None


class Want(Strict):
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
    """Frame `hb` of the host: it lives."""

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
    act: Annotated[str, StringConstraints(max_length=128), clean] = ''


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
    """Frame `mic`: switches the microphone."""

    t: Literal['mic']
    on: bool


class Cam(Command):
    """Take a picture; the envelope owns `q`, so its quality has a name of its own.

    `ask` is what is looked for; a device that only takes pictures ignores it.
    """

    t: Literal['cam']
    ask: Text = ''
    once: bool = True
    quality: Annotated[int, Field(ge=1, le=100)] = 80


class Vol(Command):
    """Frame `vol`: sets the loudness."""

    t: Literal['vol']
    v: Unit


class Bright(Command):
    """Set the brightness of the screen; 0 is off."""

    t: Literal['bright']
    v: Unit


class Stop(Command):
    """Freeze the head and be silent, now."""

    t: Literal['stop']
