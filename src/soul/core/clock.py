"""Clocks: one that a simulation moves, one that moves by itself."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from typing import Protocol


class Clock(Protocol):
    """What time it is, and letting it pass."""

    def now(self) -> float:
        """Return the time, s since 1970."""

    async def sleep(self, seconds: float) -> None:
        """Let so many seconds pass."""


class HostClock:
    """The clock of this computer; somebody may set it."""

    def now(self) -> float:
        """Return the time, s since 1970."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Let so many seconds pass."""
        await asyncio.sleep(seconds)


class VirtualClock:
    """A clock that stands still until it is moved.

    Parameters
    ----------
    now
        Where it begins, s since 1970.
    """

    def __init__(self, now: float) -> None:
        self._now = now
        self._numbers = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> float:
        """Return the time, s since 1970."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has been moved so far."""
        if seconds <= 0.0:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._numbers), future))
        await future

    def due(self) -> float:
        """When the next sleeper wakes; inf: nobody sleeps."""
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else float('inf')

    def move(self, to: float) -> None:
        """Move it forward; who has slept long enough wakes."""
        self._now = max(self._now, to)
        while self.due() <= self._now:
            _, _, future = heapq.heappop(self._sleepers)
            future.set_result(None)
