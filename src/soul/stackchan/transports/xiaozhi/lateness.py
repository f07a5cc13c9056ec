"""How late sound reaches a device, seen from the answers that it gives meanwhile.

A device works through what it is sent in order, and says nothing of what it plays. So while she
speaks it is asked something now and then: its answer comes after the sound that was sent before,
as late as that.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable

#: Between two questions, s.
PERIOD = 0.4
#: An answer that takes longer shows that the network has stalled, s; then somewhat more is lost
#: than was seen.
STALLED = 0.3
#: So much sound a device holds, s; what comes on top of it is dropped.
HELD = 2.4


class Lateness:
    """Watches one utterance after the other.

    Parameters
    ----------
    ask
        Asks the device something that changes nothing, and waits for the answer; returns whether
        there was one.
    """

    def __init__(self, ask: Callable[[], Awaitable[bool]]) -> None:
        self._ask = ask
        self._most = 0.0  # s that an answer has taken in this utterance
        self._asked = 0.0  # when the question was asked that is open; 0: none is
        self._watching: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """An utterance begins."""
        self.end()
        self._most = self._asked = 0.0
        self._watching = asyncio.get_running_loop().create_task(self._watch())

    def end(self) -> None:
        """It is over."""
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    @property
    def stalled(self) -> float:
        """How far behind the clock the device may be with it, s; 0: as far as ever."""
        waited = time.monotonic() - self._asked if self._asked else 0.0
        most = max(self._most, waited)
        return most + PERIOD if most > STALLED else 0.0

    async def played_out(self) -> str:
        """Wait until the device has played what reached it late.

        Returns
        -------
        str
            Why some of it may not have been played, for people; empty: it was.
        """
        if self._asked:  # what was sent last has not arrived
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._idle(), HELD)
        stalled = self.stalled
        self.end()
        await asyncio.sleep(min(stalled, HELD))
        if stalled - PERIOD > HELD:
            return (
                f'the network stalled for {stalled - PERIOD:.1f} s, and a device holds {HELD:g} s '
                'of sound: a part of it may not have been played'
            )
        return ''

    async def _idle(self) -> None:
        while self._asked:
            await asyncio.sleep(0.02)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            self._asked = time.monotonic()
            try:
                answered = await self._ask()
            except OSError:  # it is gone, which others find out
                return
            self._most = max(self._most, time.monotonic() - self._asked)
            self._asked = 0.0
            if not answered:
                return
