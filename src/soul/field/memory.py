"""What the field remembers, as it stands in ``field.json``.

Times are seconds since 1970 of the node's clock. A number that is odd or beyond its range is no
reason to refuse the file: whoever takes it brings it within its range.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from soul.field.bench_file import BenchFile
from soul.field.expectation import Expectation
from soul.field.focus import Focus
from soul.signals import Message

#: (epoch, sequence) of a wake or a turn, as the file has it.
Numbered = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ItemMemory:
    """One item; its numbers as in :mod:`soul.field.items`."""

    id: str
    key: str
    kind: str
    source: str
    text: str
    gist: str
    trace: str
    born: float
    own: bool
    marked: bool
    salience: float
    valence: float
    growth: float
    ring: int
    fidelity: int
    held: bool
    resolved: bool
    anchor: bool
    new: bool


@dataclass(frozen=True, slots=True)
class AttentionMemory:
    """Her focus, and what interruptions pulled her from: (focus, id of the interrupter)."""

    gaze: Focus
    earlier: tuple[tuple[Focus, str], ...]
    dwell: int  # ticks on one focus without acting


@dataclass(frozen=True, slots=True)
class ExpectationsMemory:
    """What she expects; `count` is the number of the newest expectation."""

    count: int
    open: tuple[Expectation, ...]


@dataclass(frozen=True, slots=True)
class PredictionMemory:
    """Her beliefs (observations, mean and variance by feature) and her expectations."""

    beliefs: dict[str, tuple[int, float, float]]
    expectations: ExpectationsMemory
    surprise: float  # since the last tick


@dataclass(frozen=True, slots=True)
class MoodMemory:
    """Her mood: valence -1..1, arousal 0..1, its name and where it comes from."""

    valence: float
    arousal: float
    word: str
    because: str


@dataclass(frozen=True, slots=True)
class WorldMemory:
    """All that is in the field; `count` is the number of the newest item."""

    count: int
    items: tuple[ItemMemory, ...]
    attention: AttentionMemory
    prediction: PredictionMemory
    mood: MoodMemory
    slipped: tuple[str, ...]  # gists of what slipped away
    tick: int
    lived_until: float | None  # None: it has never ticked


@dataclass(frozen=True, slots=True)
class BenchMemory:
    """Her files as they were, and which of them were shown."""

    files: tuple[BenchFile, ...]
    shown: tuple[str, ...]  # keys
    outside: bool  # somebody else touched them since the last tick
    seen_until: float


@dataclass(frozen=True, slots=True)
class HabitMemory:
    """What she did in her last turn, and how often in a row she did just that."""

    habit: str
    repeats: int
    acted: bool


@dataclass(frozen=True, slots=True)
class TasksMemory:
    """Ids of the tasks by their source, and whether somebody came since the last tick."""

    tasks: dict[str, tuple[str, ...]]
    arrived: bool


class ChannelMemories(BaseModel):
    """What the channels remember, by their name; those of other packages in plain JSON values.

    None: there was no such channel.
    """

    model_config = ConfigDict(frozen=True, extra='allow', defer_build=True)

    bench: BenchMemory | None = None
    body: HabitMemory | None = None
    door: TasksMemory | None = None


@dataclass(frozen=True, slots=True)
class PerceptionMemory:
    """What a field without a door remembers, as it is in a program of one's own."""

    world: WorldMemory
    channels: ChannelMemories
    schema: int = 1


@dataclass(frozen=True, slots=True)
class WaitingMessage:
    """A message she has not answered, and whether a turn that ended has seen it."""

    message: Message
    seen: bool


@dataclass(frozen=True, slots=True)
class DoorMemory:
    """What waits at the door, and what is known from its repetitions.

    `known` has, by the id of a message, its sender and the fingerprint of its text; the sender
    alone is from before fingerprints were kept.
    """

    known: dict[str, tuple[str, int] | str] = field(default_factory=dict)
    waiting: tuple[WaitingMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldMemory:
    """All that the field remembers.

    Parameters
    ----------
    world
        None: the file is from before the field itself was kept.
    wake, turn
        The newest wake that was ticked, and the newest turn that ended; `ended` is its wake.
    attended
        Number of the newest deed with her attention that is in it; the journal has the others.
    """

    door: DoorMemory
    world: WorldMemory | None = None
    channels: ChannelMemories = field(default_factory=ChannelMemories)
    tick: int = 0
    wake: Numbered = (0, 0)
    turn: Numbered = (0, 0)
    ended: Numbered = (0, 0)
    attended: int = 0
    schema: int = 1
