"""What a port tells the organ, handed from the port's thread to the organ's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Up:
    """The port is open."""

    opening: int


@dataclass(frozen=True)
class Received:
    """Bytes have come."""

    opening: int
    data: bytes


@dataclass(frozen=True)
class Lost:
    """The port could not be opened, or is gone."""

    opening: int
    reason: str


#: `opening` counts the openings of the port: what belongs to an earlier one is void.
LinkEvent = Up | Received | Lost


class Listener(Protocol):
    """The organ, as far as a port knows it."""

    def on_link_up(self, now: float) -> Iterable[Any]:
        """Hear that the port is open."""

    def on_link_lost(self, reason: str, now: float) -> Iterable[Any]:
        """Hear that it is not."""

    def on_bytes(self, data: bytes, now: float) -> Iterable[Any]:
        """Hear what came."""


def tell(
    listener: Listener, event: LinkEvent, is_current: Callable[[LinkEvent], bool], now: float
) -> Iterable[Any]:
    """Tell the organ on its own thread; returns what it says."""
    if not is_current(event):
        return ()
    match event:
        case Up():
            return listener.on_link_up(now)
        case Received(data=data):
            return listener.on_bytes(data, now)
        case Lost(reason=reason):
            return listener.on_link_lost(reason, now)
