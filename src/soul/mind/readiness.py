"""Whether she may think: she is active, has warmed up, has looked around, and is not stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from soul.core.organ import Report
from soul.mind.config import MindConfig
from soul.mind.ports import Ports


class Readiness:
    """The mind's life cycle; call on its event loop.

    Parameters
    ----------
    warm_up
        Lets the model read ahead what stands first; raises nothing it could deal with.
    ready
        Called when she may think from now on, or may have been waiting for it.
    """

    def __init__(
        self,
        config: MindConfig,
        ports: Ports,
        warm_up: Callable[[], Awaitable[None]],
        ready: Callable[[], None],
    ) -> None:
        self._config = config
        self._ports = ports
        self._warm_up = warm_up
        self._ready = ready
        self._closing = False
        self._warming: asyncio.Task[None] | None = None
        self._settled = config.settle_seconds == 0.0
        self.active = False
        self.stopped = False

    @property
    def awake(self) -> bool:
        """Whether she is active and not stopped."""
        return self.active and not self.stopped

    @property
    def thinks(self) -> bool:
        """Whether nothing here keeps her from thinking."""
        return self.awake and self._settled

    def activate(self) -> None:
        """Think from now on."""
        self._closing = False
        if self._config.warm_up:
            self._warming = asyncio.get_running_loop().create_task(self._warm_up_first())
            self._warming.add_done_callback(self._warmed)
        else:
            self._think_from_now_on()

    async def _warm_up_first(self) -> None:
        try:
            await self._warm_up()
        finally:  # whatever went wrong, she is there; unless she was told not to think
            self._warming = None
            if not self._closing:
                self._think_from_now_on()

    def _warmed(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._ports.emit(Report('error', f'warming up failed: {error!r}'))

    def _think_from_now_on(self) -> None:
        self.active = True
        if not self._settled:
            # Whoever is asked to speak before the body has answered says nothing.
            asyncio.get_running_loop().call_later(self._config.settle_seconds, self.met)
        self._ready()

    def met(self) -> None:
        """Wait for body and guard no longer."""
        if not self._settled:
            self._settled = True
            self._ready()

    def deactivate(self) -> None:
        """Think no more from now on; warming up is given up."""
        self.active = False
        if self._warming is not None:
            self._closing = True
            self._warming.cancel()
