"""What an organ is born with; whoever wires organs hands it in."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from soul.core.organ import OrganConfig
from soul.core.output import Outputs
from soul.signals import Point
from soul.store import Home

Config = TypeVar('Config', bound=OrganConfig)


@dataclass(frozen=True)
class OrganContext(Generic[Config]):
    """What an organ is made of."""

    config: Config
    home: Home
    clock: Callable[[], float]  # seconds of the node's clock; 0.0 before simulated time begins
    rng: random.Random
    memory: Any  # of the organ's `memory_type`; None: this is its first life
    past: Mapping[str, Sequence[dict[str, Any]]]  # newest part of its journals
    #: Thread-safe: run a function on the organ's thread and carry out what it returns.
    inject: Callable[[Callable[[float], Outputs]], None]
    #: Register what is to be closed when the node is gone: threads, ports, databases.
    on_close: Callable[[Callable[[], None]], None]
    #: Lets time of that clock pass; None: the clock is looked at again and again.
    sleep: Callable[[float], Awaitable[None]] | None = None
    #: Turns a time of `clock` into one for the stamp of a message.
    stamped: Callable[[float], float] = float
    #: Gives a point in another frame, or raises ValueError; None: it was not asked for.
    transform: Callable[[Point, str], Point] | None = None
