"""Lets a bus live: in virtual time as fast as it goes, or in real time in an asyncio program."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

from soul.core.bus import Bus
from soul.core.clock import VirtualClock

#: The event loop is given so many rounds without anything happening before time moves on.
QUIET_ROUNDS = 6
#: Real time between two looks at a model that answers in real time, s.
PATIENCE = 0.001


class VirtualLife:
    """A bus on a virtual clock.

    Parameters
    ----------
    thinking
        Whether somebody works in real time (a model behind a socket): the virtual clock waits.
    """

    def __init__(
        self, bus: Bus, clock: VirtualClock, thinking: Callable[[], bool] = lambda: False
    ) -> None:
        self.bus = bus
        self.clock = clock
        self._thinking = thinking

    async def until(self, end: float) -> None:
        """Live until the clock shows `end`, s since 1970."""
        await self.settle()
        while (due := min(self.bus.due(), self.clock.due())) <= end:
            self.clock.move(due)
            self.bus.step()
            await self.settle()
        self.clock.move(end)

    async def settle(self) -> None:
        """Let everything happen that needs no time."""
        quiet = 0
        while quiet < QUIET_ROUNDS:
            quiet = 0 if self.bus.drain() else quiet + 1
            if self._thinking():
                quiet = 0
                await asyncio.sleep(PATIENCE)
            else:
                await asyncio.sleep(0)


async def live(bus: Bus, now: Callable[[], float], stopped: asyncio.Event) -> None:
    """Live in real time until told to stop."""
    loop = asyncio.get_running_loop()
    awake = asyncio.Event()

    def news() -> None:
        loop.call_soon_threadsafe(awake.set)

    bus.news = news
    stopping = loop.create_task(stopped.wait())
    stopping.add_done_callback(lambda _: awake.set())
    try:
        while not stopped.is_set():
            awake.clear()
            bus.drain()
            left = bus.due() - now()
            if left <= 0.0:
                bus.step()
                await asyncio.sleep(0)
                continue
            try:
                timeout = None if math.isinf(left) else min(left, 3600.0)
                await asyncio.wait_for(awake.wait(), timeout)
            except asyncio.TimeoutError:
                continue
    finally:
        stopping.cancel()
