"""What is special about one organ as a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from soul.core.context import Config, OrganContext
from soul.core.organ import Organ


@dataclass(frozen=True)
class OrganSpec(Generic[Config]):
    """How an organ becomes a node: everything an organ's node.py has to say."""

    name: str
    organ: type[Organ]
    config: type[Config]
    build: Callable[[OrganContext[Config]], Organ]
    managed: bool = False
    hardware_id: str = 'soul'
    #: Whether the organ's `now` is monotonic real time, as wires need it: the node's clock may be
    #: set back, paused, or run at another speed. Its life still begins with the node's clock.
    steady: Callable[[Config], bool] = lambda config: False
    #: Whether it is given points in other frames.
    transforms: bool = False
