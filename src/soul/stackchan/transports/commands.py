"""What the driver may ask of a body, whatever the transport.

Angles are the body's: 0.1 degree, yaw to its left or as its `yaw_sign` says, pitch up.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class SayCommand:
    """Speak, with the body's own voice; how it ended is told by an `ActEnded`.

    Attributes
    ----------
    id
        Of the command, at most 16 characters: the same for the same act. Empty: a new one.
    act
        Names the utterance beyond sessions and boots: a body that remembers it never speaks it
        again.
    """

    text: str
    id: str = ''
    act: str = ''


@dataclass(frozen=True)
class HushCommand:
    """End the speech that is under way."""


@dataclass(frozen=True)
class SoundBegin:
    """An utterance in sound begins: the body gets ready to play.

    Packets follow, then `SoundEnd`. `rate` of samples, Hz.
    """

    rate: int = 24_000


@dataclass(frozen=True)
class SoundPacket:
    """A piece of sound: a packet of Opus for a body that has dialled, else samples.

    Samples are 16 bit, little-endian, mono, at most 2400 bytes. It is sent on at once, and nobody
    acknowledges it: when it is time for it, whoever sends it knows.
    """

    data: bytes


@dataclass(frozen=True)
class SoundEnd:
    """The utterance in sound is over; what has been sent is still played."""


@dataclass(frozen=True)
class SentenceCommand:
    """Show the words that are being spoken."""

    text: str


@dataclass(frozen=True)
class HeardCommand:
    """Show what was understood of what somebody said."""

    text: str


@dataclass(frozen=True)
class FaceCommand:
    """Show a face; `strength` 0..1."""

    name: str
    strength: float = 1.0


@dataclass(frozen=True)
class CaptureCommand:
    """Look: a `PhotoTaken` or `SeenInWords` follows, or an `ActEnded` if there will be neither.

    `question` is what is looked for, empty: nothing in particular. `quality` of a JPEG: 1..100.
    """

    question: str = ''
    quality: int = 80


@dataclass(frozen=True)
class HeadCommand:
    """Turn the head; the last one wins. `dps`: degrees/s at most, None: as fast as it likes."""

    yaw: float
    pitch: float
    dps: float | None = None


@dataclass(frozen=True)
class TorqueCommand:
    """Hold the head, or let it go."""

    on: bool


@dataclass(frozen=True)
class LightCommand:
    """Give all lights a colour: red, green and blue, each 0..1."""

    colour: tuple[float, float, float]


@dataclass(frozen=True)
class GazeCommand:
    """Move the eyes on the screen: -1..1, to the body's left and up."""

    x: float
    y: float


@dataclass(frozen=True)
class MouthCommand:
    """Open the mouth on the screen: 0 closed, 1 wide open."""

    opened: float


@dataclass(frozen=True)
class MicrophoneCommand:
    """Let the microphone be heard, or not."""

    on: bool


@dataclass(frozen=True)
class VolumeCommand:
    """How loud it is, 0..1."""

    share: float


@dataclass(frozen=True)
class BrightnessCommand:
    """How bright the screen is, 0..1; 0 is off."""

    share: float


BodyCommand = (
    SayCommand | HushCommand | SoundBegin | SoundPacket | SoundEnd | SentenceCommand | HeardCommand
    | FaceCommand | CaptureCommand | HeadCommand | TorqueCommand | LightCommand | GazeCommand
    | MouthCommand | MicrophoneCommand | VolumeCommand | BrightnessCommand
)  # fmt: skip


_NEEDS: dict[type, tuple[str, ...]] = {
    SayCommand: ('tts', 'text'),
    HushCommand: ('tts', 'text', 'spk'),
    SoundBegin: ('spk',),
    SoundPacket: ('spk',),
    SoundEnd: ('spk',),
    SentenceCommand: ('text',),
    HeardCommand: ('text',),
    FaceCommand: ('face',),
    CaptureCommand: ('cam',),
    HeadCommand: ('head',),
    TorqueCommand: ('torque',),
    LightCommand: ('led',),
    GazeCommand: ('gaze',),
    MouthCommand: ('mouth',),
    MicrophoneCommand: ('mic',),
    VolumeCommand: ('vol',),
    BrightnessCommand: ('bright', 'backlight'),
}


def can(capabilities: Collection[str], command: BodyCommand) -> bool:
    """Whether a body with these capabilities can do what a command asks."""
    return any(capability in capabilities for capability in _NEEDS[type(command)])


class TooLong(ValueError):
    """A command does not fit into what the transport can carry."""
