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


BodyCommand = SayCommand | HushCommand | FaceCommand | CaptureCommand | HeadCommand | TorqueCommand


_NEEDS: dict[type, tuple[str, ...]] = {
    SayCommand: ('tts', 'text'),
    HushCommand: ('tts', 'text'),
    FaceCommand: ('face',),
    CaptureCommand: ('cam',),
    HeadCommand: ('head',),
    TorqueCommand: ('torque',),
}


def can(capabilities: Collection[str], command: BodyCommand) -> bool:
    """Whether a body with these capabilities can do what a command asks."""
    return any(capability in capabilities for capability in _NEEDS[type(command)])


class TooLong(ValueError):
    """A command does not fit into what the transport can carry."""
