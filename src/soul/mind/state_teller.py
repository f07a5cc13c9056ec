"""Tells the others how the mind is: at once what they act on, the rest a moment later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from soul.mind.ports import Ports
from soul.signals import MindState

#: What changes from step to step is told after this, s, unless something else is told before.
TELL_SECONDS = 0.5


class StateTeller:
    """Publishes the mind's state; call on the event loop.

    Parameters
    ----------
    state
        Returns the state as it is now.
    settled
        Whether the disk knows what has begun; what is not told until then is told by whoever
        brings it there.
    """

    def __init__(
        self, ports: Ports, state: Callable[[], MindState], settled: Callable[[], bool]
    ) -> None:
        self._ports = ports
        self._state = state
        self._settled = settled
        self._told: tuple[object, ...] = ()  # what the others go by
        self._telling: asyncio.Task[None] | None = None

    def changed(self) -> None:
        """Tell it if it differs in what others go by; the rest they hear soon."""
        if not self._settled():
            return
        state = self._state()
        if _essence(state) != self._told:
            self._tell(state)
        elif self._telling is None:
            self._telling = asyncio.get_running_loop().create_task(self._tell_soon())

    async def _tell_soon(self) -> None:
        await self._ports.pause(TELL_SECONDS)
        self._telling = None
        self._tell(self._state())

    def _tell(self, state: MindState) -> None:
        self._told = _essence(state)
        self.close()
        self._ports.emit(state)

    def close(self) -> None:
        """Tell nothing any more that was to be told soon."""
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None


def _essence(state: MindState) -> tuple[object, ...]:
    """What others act on as soon as it changes; what she is at from step to step is not of it."""
    sessions = tuple((s.session, s.message_ids) for s in state.sessions)
    turn = (state.last_turn.epoch, state.last_turn.sequence)
    known = (state.epoch, state.begun, state.wakings, turn)
    return (state.phase, sessions, state.model_available, state.model, state.trouble, *known)
