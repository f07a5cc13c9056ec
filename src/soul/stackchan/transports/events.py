"""What a port tells the driver: the coming and going of a body, and what the body tells.

Numbers are None where the body could not read them. Units are in the attributes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HeadLimits:
    """What the servos of a head allow.

    Attributes
    ----------
    yaw, pitch
        Lowest and highest angle, 0.1 degree.
    dps
        Fastest turn, degrees/s.
    head_hz
        Most commands a second, Hz.
    step
        Resolution of what it is told and tells, 0.1 degree.
    plans
        It is given a target and a speed and finds the way by itself; otherwise the way is a stream
        of small steps.
    """

    yaw: tuple[float, float] = (-1280.0, 1280.0)
    pitch: tuple[float, float] = (50.0, 850.0)
    dps: float = 240.0
    head_hz: float = 20.0
    step: float = 3.125
    plans: bool = False


@dataclass(frozen=True)
class BodyAbout:
    """Who a body is and what it can do; `boot` changes each time it boots.

    `cancels_echo`: it hears people while it speaks.
    """

    uid: str
    firmware: str
    boot: str
    capabilities: tuple[str, ...]
    limits: HeadLimits = HeadLimits()
    hardware: str = ''
    reset_cause: str = ''
    cancels_echo: bool = False


# --- what a body tells ----------------------------------------------------------------------


@dataclass(frozen=True)
class BodyAlive:
    """It lives, and has nothing else to tell."""


@dataclass(frozen=True)
class HeadRead:
    """Where the head is, 0.1 degree; not `ok` where that could not be read."""

    yaw: float | None
    pitch: float | None
    moving: bool
    torque: bool  # whether the servos hold it
    ok: bool


@dataclass(frozen=True)
class ZonesTouched:
    """Intensity of touch per zone, 0..3."""

    zones: tuple[int, int, int]


#: What some firmwares notice by themselves, as names of a `BodyEvent`.
NOTICED = frozenset({'face_detected', 'sound_event', 'state_changed'})


@dataclass(frozen=True)
class BodyEvent:
    """Something happened, by name: a gesture, the screen on or off, or what it noticed."""

    name: str


@dataclass(frozen=True)
class MotionRead:
    """Acceleration, m/s^2, and angular velocity, rad/s, along x, y, z."""

    acceleration: tuple[float, float, float]
    angular_velocity: tuple[float, float, float]


@dataclass(frozen=True)
class PowerRead:
    """Battery (mV, mA negative while discharging, percent) and supply (mV)."""

    millivolts: float | None = None
    milliamperes: float | None = None
    percent: float | None = None
    charging: bool | None = None
    supply_millivolts: float | None = None


@dataclass(frozen=True)
class LightRead:
    """Light, lux."""

    lux: float | None


@dataclass(frozen=True)
class TemperatureRead:
    """Temperature of the body, degrees Celsius."""

    celsius: float | None


@dataclass(frozen=True)
class SoundHeard:
    """A piece of what the microphone hears: 16 bit, little-endian, mono; `rate` in Hz."""

    samples: bytes
    rate: int


@dataclass(frozen=True)
class ListenChanged:
    """The body begins or ends to listen.

    Attributes
    ----------
    state
        start, stop, or detect: it was woken by a word.
    mode
        auto: the end of a turn is found here; manual: the body ends it by stop; realtime: it
        listens also while it speaks. Empty: it does not say.
    text
        The word that woke it; empty: none.
    """

    state: str
    mode: str = ''
    text: str = ''


@dataclass(frozen=True)
class SpeechAborted:
    """Somebody has stopped the speech at the body itself; `reason` in its words."""

    reason: str


@dataclass(frozen=True)
class WordsHeard:
    """What somebody said to a body that understands words itself."""

    text: str


@dataclass(frozen=True)
class PhotoTaken:
    """A whole picture, as the body gave it: it should be a JPEG."""

    data: bytes


@dataclass(frozen=True)
class SeenInWords:
    """What a body sees that sees in words: the answer to the capture `id`."""

    id: str
    text: str


@dataclass(frozen=True)
class ActEnded:
    """The end of a command that takes time; not `sure`: it may have been done or not."""

    id: str
    ok: bool
    sure: bool = True
    why: str = ''


@dataclass(frozen=True)
class LineLogged:
    """A line for people; `warn`: something that they should see to."""

    text: str
    warn: bool = False


@dataclass(frozen=True)
class PortTrouble:
    """What is wrong with the port that bodies dial; empty: it is open, and nothing is."""

    text: str = ''


Told = (
    BodyAlive | HeadRead | ZonesTouched | BodyEvent | MotionRead | PowerRead | LightRead
    | TemperatureRead | SoundHeard | ListenChanged | SpeechAborted | WordsHeard
    | PhotoTaken | SeenInWords | ActEnded | LineLogged | PortTrouble
)  # fmt: skip


# --- what a port tells of it ----------------------------------------------------------------


@dataclass(frozen=True)
class Joined:
    """A body is there from now on; `rebooted` if it booted since the last time."""

    about: BodyAbout
    rebooted: bool


@dataclass(frozen=True)
class Foreign:
    """The device speaks another major version of the protocol: it is only listened to."""

    version: tuple[int, int]


@dataclass(frozen=True)
class Left:
    """The body is gone, or could not be reached.

    `asleep`: it has hung up as it does when nobody speaks with it, and comes when it is woken.
    `again`: the same body is there at once by another line; what it was at is over.
    """

    reason: str
    was_joined: bool
    asleep: bool = False
    again: bool = False


@dataclass(frozen=True)
class Heard:
    """What a body tells; `up` is its own clock when it did, ms."""

    told: Told
    up: int


@dataclass(frozen=True)
class Answered:
    """What became of a command: ok, clamped, dup (it had it before), nack, or `unanswered`."""

    id: str
    state: str
    why: str = ''


PortEvent = Joined | Foreign | Left | Heard | Answered


def plain_text(text: str, longest: int) -> str:
    """Return text from outside as it can be handed on: cut, and without half surrogates."""
    return text[:longest].encode('utf-8', 'replace').decode()
