"""What the mind needs of the world around it, handed in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ports:
    """The mind's ports; all are called on its own event loop."""

    now: Callable[[], float]  # seconds of the node's clock
    emit: Callable[[Any], None]  # publish a signal; thread-safe
    #: Ask another organ: (where, request, longest wait in s) -> answer, or None if there is none.
    ask: Callable[[str, Any, float], Awaitable[Any]]
    save: Callable[[Mapping[str, Any]], None]  # write the mind's memory; on the disk afterwards
