"""Follows outward acts by what the guard says of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from soul.core.bounded import BoundedDict
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
#: Acts asked for by the mind.
BY = 'mind'


class ActsWatch:
    """Waits for acts to end; an act may have ended before somebody waits for it.

    Parameters
    ----------
    told
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(self, told: Iterable[str] = ()) -> None:
        self._ended: BoundedDict[str, Act] = BoundedDict(REMEMBERED)
        self._waiting: dict[str, asyncio.Future[Act]] = {}
        self._told: BoundedDict[str, None] = BoundedDict(
            REMEMBERED, ((act_id, None) for act_id in told)
        )

    def memory(self) -> list[str]:
        """What must survive: acts whose end she knows."""
        return list(self._told)

    def heard(self, act: Act) -> None:
        """Hear how an act goes."""
        if act.state not in ENDED:
            return
        self._ended[act.id] = act
        future = self._waiting.pop(act.id, None)
        if future is not None and not future.done():
            future.set_result(act)

    async def ended(self, act_id: str, seconds: float) -> Act | None:
        """Wait for an act to end; None if it did not in time."""
        act = self._ended.get(act_id)
        if act is None:
            future = asyncio.get_running_loop().create_future()
            self._waiting[act_id] = future
            try:
                act = await asyncio.wait_for(future, seconds)
            except asyncio.TimeoutError:
                act = None
            finally:
                self._waiting.pop(act_id, None)
        self._tell(act_id)
        return act

    def in_doubt(self) -> list[str]:
        """Return acts of hers of which nobody knows whether they happened; each once."""
        found = []
        for act in self._ended.values():
            doubtful = act.state == ActState.UNCERTAIN and act.by == BY
            if doubtful and act.id not in self._told:
                self._tell(act.id)
                found.append(f'{act.what} “{act.text}”' if act.text else act.what)
        return found

    def _tell(self, act_id: str) -> None:
        self._told[act_id] = None
