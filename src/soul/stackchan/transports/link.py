"""What the thread of a port finds out, handed to the driver's thread.

`opening` counts the openings of a port: what belongs to an earlier one is void.
"""

from __future__ import annotations

from dataclasses import dataclass

from soul.stackchan.transports.events import Answered, BodyAbout, Told


@dataclass(frozen=True)
class Up:
    """The line is open; who is there, is to be found out."""

    opening: int


@dataclass(frozen=True)
class Received:
    """Bytes have come over the line."""

    opening: int
    data: bytes


@dataclass(frozen=True)
class Met:
    """A body that needs no introduction is there."""

    opening: int
    about: BodyAbout


@dataclass(frozen=True)
class Spoke:
    """That body tells something, or what became of a command; `up` as in `Heard`."""

    opening: int
    said: Told | Answered
    up: int


@dataclass(frozen=True)
class Lost:
    """It could not be opened, or is gone; `asleep` as in `Left`."""

    opening: int
    reason: str
    asleep: bool = False


@dataclass(frozen=True)
class Broke:
    """What serves the body has a bug; whoever hears this raises it."""

    opening: int
    error: BaseException


#: Of a line of bytes: Up, Received, Lost. Of a body that is reached otherwise: Met, Spoke, Lost,
#: Broke.
LinkNews = Up | Received | Met | Spoke | Lost | Broke
