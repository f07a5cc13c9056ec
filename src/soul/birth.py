"""What an organ is born with; whoever wires organs hands it in."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from soul.organ import Organ, OrganConfig
from soul.signals import Point
from soul.store import Home, Unreadable
from soul.store.tables import TableUnreadable

Config = TypeVar('Config', bound=OrganConfig)


def bear(build: Callable[[Birth[Any]], Organ], birth: Birth[Any], memory_file: str) -> Organ:
    """Make an organ from what it is born with.

    Raises
    ------
    Unreadable
        If what it remembers is whole by its checksum and not what such an organ remembers: it
        never goes on with an empty mind.
    """
    try:
        return build(birth)
    except TableUnreadable:  # a table of the configuration, not her memory
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if birth.memory is None:
            raise
        reason = f'not the memory of such an organ: {error!r}'
        raise Unreadable(birth.home.path / memory_file, [reason]) from error


@dataclass(frozen=True)
class Birth(Generic[Config]):
    """What an organ is made of."""

    config: Config
    home: Home
    clock: Callable[[], float]  # seconds of the node's clock; 0.0 before simulated time begins
    rng: random.Random
    memory: dict[str, Any] | None  # None: this is its first life
    past: Mapping[str, Sequence[dict[str, Any]]]  # newest part of its journals
    #: Thread-safe: run a function on the organ's thread and carry out what it returns.
    inject: Callable[[Callable[[float], Iterable[Any]]], None]
    #: Register what is to be closed when the node is gone: threads, ports, databases.
    on_close: Callable[[Callable[[], None]], None]
    #: Lets time of that clock pass; None: the clock is looked at again and again.
    sleep: Callable[[float], Awaitable[None]] | None = None
    #: Turns a time of `clock` into one for the stamp of a message.
    stamped: Callable[[float], float] = float
    #: Gives a point in another frame, or raises ValueError; None: it was not asked for.
    transform: Callable[[Point, str], Point] | None = None
