"""What the driver and the process of voice and ears say to each other.

Each message is two lengths (32 bit, network order), an object of JSON with the name of the message
and its fields, and the samples that belong to it, if any.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass, fields
from typing import IO

_LENGTHS = struct.Struct('!II')
_MOST = 64 << 20  # bytes of samples; whatever claims more is no message


@dataclass(frozen=True)
class Speak:
    """Make sound of a text; `id` names it in what comes back."""

    id: int
    text: str


@dataclass(frozen=True)
class Hush:
    """Make no more sound of it."""

    id: int


@dataclass(frozen=True)
class Hear:
    """Sound of the microphone: 16 kHz; `at`: when its end was captured, s of a steady clock.

    `own`: she was speaking meanwhile, so her own words may be in it. `tail`: the room may still
    sound of her, so nobody begins to speak in it; who speaks when it is over has begun there.
    """

    at: float
    samples: bytes = b''
    own: bool = False
    tail: bool = False


@dataclass(frozen=True)
class TurnOver:
    """Whoever speaks has finished: the body says so."""


@dataclass(frozen=True)
class Forget:
    """What was heard is void."""


@dataclass(frozen=True)
class SaidAloud:
    """She has spoken this by other means: it may be heard as well."""

    text: str


@dataclass(frozen=True)
class Piece:
    """Sound of the utterance `id`; `text` is the sentence that begins with it, else empty."""

    id: int
    text: str
    rate: int
    samples: bytes = b''


@dataclass(frozen=True)
class Complete:
    """There is no more sound of the utterance `id`; `why` it is not all of it, empty: it is."""

    id: int
    why: str = ''


@dataclass(frozen=True)
class SpeechBegan:
    """Somebody has begun to speak; a :class:`HeardSpeech` follows, always.

    `at`: s of the clock of :class:`Hear`.
    """

    at: float


@dataclass(frozen=True)
class SpeechLasts:
    """Whoever has begun to speak while she does goes on; `at`: s of the clock of :class:`Hear`."""

    at: float


@dataclass(frozen=True)
class Guessed:
    """What was said so far; it is not certain that it is all."""

    text: str
    own: bool = False


@dataclass(frozen=True)
class HeardSpeech:
    """What somebody said.

    Attributes
    ----------
    began, ended
        First and last speech, s of the clock of :class:`Hear`.
    own
        They are her own words.
    invented
        Why it is not what somebody said, empty: it is.
    seconds
        How long it took to understand it, s.
    """

    text: str
    began: float
    ended: float
    own: bool = False
    invented: str = ''
    seconds: float = 0.0


@dataclass(frozen=True)
class Engines:
    """Which engines speak and listen now; empty: none, `..._tried`: and there will be none."""

    mouth: str = ''
    ear: str = ''
    mouth_tried: bool = False
    ear_tried: bool = False


@dataclass(frozen=True)
class VoiceTrouble:
    """Something is not as it should be; said once."""

    text: str


Message = (
    Speak | Hush | Hear | TurnOver | Forget | SaidAloud
    | Piece | Complete | SpeechBegan | SpeechLasts | Guessed | HeardSpeech | Engines | VoiceTrouble
)  # fmt: skip
#: What the ears tell the driver, and all that both tell it.
FromEars = SpeechBegan | SpeechLasts | Guessed | HeardSpeech | Engines | VoiceTrouble
FromProcess = Piece | Complete | FromEars
_KINDS = {
    kind.__name__: kind
    for kind in (
        Speak, Hush, Hear, TurnOver, Forget, SaidAloud,
        Piece, Complete, SpeechBegan, SpeechLasts, Guessed, HeardSpeech, Engines, VoiceTrouble,
    )
}  # fmt: skip


def encode(message: Message) -> bytes:
    """Return a message as bytes."""
    told = asdict(message)
    samples = told.pop('samples', b'')
    words = json.dumps({'kind': type(message).__name__, **told}).encode()
    return _LENGTHS.pack(len(words), len(samples)) + words + samples


def read(stream: IO[bytes]) -> Message | None:
    """Read the next message; None: there is none any more.

    Raises
    ------
    ValueError
        If what comes is no message: the other side is not what it should be.
    """
    head = stream.read(_LENGTHS.size)
    if len(head) < _LENGTHS.size:
        return None
    words, samples = _LENGTHS.unpack(head)
    if words > _MOST or samples > _MOST:
        raise ValueError('no message of the process of voice and ears')
    raw, sound = stream.read(words), stream.read(samples)
    if len(raw) < words or len(sound) < samples:
        return None
    told = json.loads(raw)
    kind = _KINDS.get(told.pop('kind', '')) if isinstance(told, dict) else None
    if kind is None or not told.keys() <= {field.name for field in fields(kind)}:
        raise ValueError('a message that the process of voice and ears does not know')
    if 'samples' in {field.name for field in fields(kind)}:
        told['samples'] = sound
    return kind(**told)
