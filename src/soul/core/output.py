"""What an organ returns: effects for whoever runs it, and signals to be said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias


class Signal(Protocol):
    """Any dataclass that a table ``says`` names; most stand in :mod:`soul.signals`."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Save:
    """Write the organ's memory before carrying out what follows."""


@dataclass(frozen=True, slots=True)
class SaveSoon:
    """Write the organ's memory once nothing waits for it: for what a crash may take back.

    It is written after some seconds without outputs, at the latest after the save period, and
    at the end.
    """


@dataclass(frozen=True, slots=True)
class Record:
    """Append an entry to one of the organ's journals."""

    journal: str
    entry: Mapping[str, Any]
    durable: bool = True  # on the disk before what follows is carried out


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask another organ for something; see ``asks``."""

    to: str
    request: Any
    token: str = ''  # the organ's own handle, given back with the answer
    deadline: float = 5.0  # s of real time for the whole; then the answer is `lost`
    patience: float = 3.0  # s of real time for the server to appear; then `absent`


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an :class:`Ask`."""

    to: str
    token: str
    request: Any
    answer: Any = None  # None: there is none, see `failure`
    #: absent (nobody there, nothing was sent), lost (sent, but no answer came in time: it may
    #: have happened), refused, aborted or canceled; empty if all went well.
    failure: str = ''


@dataclass(frozen=True, slots=True)
class CancelAsk:
    """Ask that a goal asked for earlier be ended."""

    token: str


@dataclass(frozen=True, slots=True)
class Offer:
    """Publish exactly these of the topics in ``perhaps`` from now on; the others do not exist."""

    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """Feedback about what the organ performs."""

    handle: str
    feedback: Any


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of what the organ performs."""

    handle: str
    result: Any
    state: str = 'succeeded'  # succeeded, aborted or canceled; services ignore it


@dataclass(frozen=True, slots=True)
class Report:
    """A line for the log."""

    level: str  # debug, info, warning or error
    text: str


#: What is carried out for the organ and by nobody heard as such.
Effect: TypeAlias = Save | SaveSoon | Record | Ask | CancelAsk | Offer | Progress | Finish | Report
Output: TypeAlias = Effect | Signal
Outputs: TypeAlias = Iterable[Output]
#: Something an organ is to do: called with `now`, s of the organ's clock.
Work: TypeAlias = Callable[[float], Iterable[Output]]
