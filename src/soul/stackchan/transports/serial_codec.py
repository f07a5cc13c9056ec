"""Commands and events as the frames of soul-serial, and back."""

from __future__ import annotations

import base64
from typing import Any

from soul.stackchan.transports.commands import (
    BodyCommand,
    BrightnessCommand,
    CaptureCommand,
    FaceCommand,
    GazeCommand,
    HeadCommand,
    HeardCommand,
    HushCommand,
    LightCommand,
    MicrophoneCommand,
    MouthCommand,
    SayCommand,
    SentenceCommand,
    SoundBegin,
    SoundEnd,
    SoundPacket,
    TorqueCommand,
    VolumeCommand,
)
from soul.stackchan.transports.events import (
    ActEnded,
    BodyAbout,
    BodyAlive,
    BodyEvent,
    HeadLimits,
    HeadRead,
    LightRead,
    LineLogged,
    MotionRead,
    PowerRead,
    SeenInWords,
    SoundHeard,
    TemperatureRead,
    Told,
    WordsHeard,
    ZonesTouched,
)
from soul.wire import schema


def frame_of(command: BodyCommand) -> tuple[str, dict[str, Any]]:
    """Return the kind of frame and its fields, without the envelope and the id."""
    match command:
        case SayCommand(text, _, act):
            return 'say', {'act': act, 'text': text}
        case HushCommand():
            return 'spk', {'op': 'abort'}
        case FaceCommand(name, strength):
            return 'face', {'name': name, 'k': round(strength, 3)}
        case CaptureCommand(question, quality):
            asked = {'ask': question} if question else {}
            return 'cam', {'once': True, 'quality': quality, **asked}
        case HeadCommand(yaw, pitch, dps):
            speed = {} if dps is None else {'dps': round(dps, 1)}
            return 'head', {'yaw': yaw, 'pitch': pitch, **speed}
        case TorqueCommand(on):
            return 'torque', {'on': on}
        case SoundBegin(rate):
            return 'spk', {'op': 'start', 'rate': rate}
        case SoundEnd():
            return 'spk', {'op': 'end'}
        case LightCommand(colour):
            return 'led', {'all': True, 'rgb': [round(255.0 * part) for part in colour]}
        case GazeCommand(x, y):
            return 'gaze', {'x': round(x, 3), 'y': round(y, 3)}
        case MouthCommand(opened):
            return 'mouth', {'open': round(opened, 3)}
        case MicrophoneCommand(on):
            return 'mic', {'on': on}
        case VolumeCommand(share):
            return 'vol', {'v': round(share, 3)}
        case BrightnessCommand(share):
            return 'bright', {'v': round(share, 3)}
        case SoundPacket() | SentenceCommand() | HeardCommand():
            raise ValueError(f'{type(command).__name__} is no command of soul-serial')


def about_of(hello: schema.DeviceHello) -> BodyAbout:
    """Return who a device says it is."""
    limits = HeadLimits(hello.lim.yaw, hello.lim.pitch, hello.lim.dps, hello.lim.head_hz)
    face = ('gaze', 'mouth') if 'face' in hello.caps else ()  # it is drawn with both
    caps = (*hello.caps, *(cap for cap in face if cap not in hello.caps))
    return BodyAbout(hello.uid, hello.fw, hello.boot, caps, limits, hello.hw, hello.rst)


def same_uid(told: str, wanted: str) -> bool:
    """Whether a device is the one that is wanted; empty: any is."""
    plain = (told.replace(':', '').casefold(), wanted.replace(':', '').casefold())
    return not wanted or plain[0] == plain[1]


def told_by(frame: schema.DeviceFrame) -> Told | None:
    """Return what a frame tells; None: nothing for the driver, or a piece of a picture."""
    match frame:
        case schema.DeviceHb():
            return BodyAlive()
        case schema.Joint():
            return HeadRead(frame.yaw, frame.pitch, frame.moving, frame.torque, frame.ok)
        case schema.TouchFrame():
            return ZonesTouched(frame.z)
        case schema.Evt():
            return BodyEvent(frame.name)
        case schema.ImuFrame():
            return MotionRead(frame.a, frame.g)
        case schema.Power():
            return PowerRead(frame.mv, frame.ma, frame.pct, frame.chg, frame.vbus_mv)
        case schema.Env():
            return LightRead(frame.lux)
        case schema.Temp():
            return TemperatureRead(frame.c)
        case schema.DevicePcm():
            return SoundHeard(base64.b64decode(frame.b64), frame.rate)
        case schema.Seen():
            return SeenInWords(frame.id, frame.text)
        case schema.HeardText():
            return WordsHeard(frame.text)
        case schema.DoneFrame():
            return ActEnded(frame.id, frame.ok, frame.sure, frame.why)
        case schema.Log():
            return LineLogged(frame.text, frame.warn)
    return None


class SoundStream:
    """Numbers the pieces of one stream of sound to the device."""

    def __init__(self) -> None:
        self._stream = 0
        self._piece = 0

    def begin(self) -> None:
        """Begin another stream."""
        self._stream += 1
        self._piece = 0

    def piece(self, samples: bytes) -> dict[str, Any]:
        """Return the fields of the frame that carries the next piece."""
        self._piece += 1
        number = self._piece - 1
        return {'st': self._stream, 'n': number, 'b64': base64.b64encode(samples).decode()}


class PictureAssembly:
    """Puts the pieces of one picture together; a new number begins another one."""

    def __init__(self) -> None:
        self._number = -1
        self._expected = 0
        self._pieces: dict[int, bytes] = {}

    def begin(self) -> None:
        """Forget the pieces of whatever came before."""
        self._number = -1
        self._pieces = {}

    def take(self, piece: schema.Jpg) -> bytes | None:
        """Take a piece; returns the whole picture if it was the last one missing."""
        if piece.f != self._number:
            self._number, self._expected = piece.f, piece.n
            self._pieces = {}
        if piece.n != self._expected or piece.k >= piece.n:
            return None
        self._pieces[piece.k] = base64.b64decode(piece.b64)
        if len(self._pieces) < self._expected:
            return None
        whole = b''.join(self._pieces[k] for k in range(self._expected))
        self._pieces = {}
        return whole
