"""Follows outward acts by what the guard says of them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from soul.signals import Act, ActState

ENDED = frozenset(
    {
        ActState.DONE,
        ActState.FAILED,
        ActState.UNCERTAIN,
        ActState.DENIED,
        ActState.EXPIRED,
    }
)
#: So many ended acts are remembered for whoever asks a moment later.
REMEMBERED = 64


class ActsWatch:
    """Waits for acts to end; an act may have ended before somebody waits for it."""

    def __init__(self) -> None:
        self._ended: OrderedDict[str, Act] = OrderedDict()
        self._waiting: dict[str, asyncio.Future[Act]] = {}

    def heard(self, act: Act) -> None:
        """Hear how an act goes."""
        if act.state not in ENDED:
            return
        self._ended[act.id] = act
        while len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)
        future = self._waiting.pop(act.id, None)
        if future is not None and not future.done():
            future.set_result(act)

    async def ended(self, act_id: str, seconds: float) -> Act | None:
        """Wait for an act to end; None if it did not in time."""
        if act_id in self._ended:
            return self._ended[act_id]
        future = asyncio.get_running_loop().create_future()
        self._waiting[act_id] = future
        try:
            return await asyncio.wait_for(future, seconds)
        except asyncio.TimeoutError:
            return None
        finally:
            self._waiting.pop(act_id, None)
