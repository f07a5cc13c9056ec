"""What the mind needs of the world around it, handed in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from soul.mind.mind_memory import MindMemory


class NoAnswer(Exception):
    """A question got no answer.

    Parameters
    ----------
    lost
        It was sent and nothing came back: whatever was asked for may have happened. Otherwise
        nobody was there, and nothing has.
    """

    def __init__(self, to: str, lost: bool) -> None:
        super().__init__(f'{to} gave no answer' if lost else f'{to} is not there')
        self.lost = lost


@dataclass(frozen=True)
class Ports:
    """The mind's ports; all are called on its own event loop."""

    now: Callable[[], float]  # seconds of the node's clock
    sleep: Callable[[float], Awaitable[None]]  # let so many seconds of that clock pass
    emit: Callable[[Any], None]  # publish a signal; thread-safe
    #: Ask another organ: (where, request, longest wait in s) -> answer; raises NoAnswer.
    ask: Callable[[str, Any, float], Awaitable[Any]]
    #: Whoever served these is another one now: what was asked of the old one is lost.
    lost: Callable[[Collection[str]], None]
    save: Callable[[MindMemory], None]  # write the mind's memory; on the disk afterwards
    #: Seconds of a clock that nobody sets, for how often and how long servers are left alone.
    steady: Callable[[], float] = time.monotonic
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep  # lets its seconds pass
