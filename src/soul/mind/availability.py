"""Whether the model can be used; after failures it is left alone for a while.

Asking during a pause would prolong it with many servers, so nobody asks: the pause doubles with
each failure in a row. A waking that was cut at a limit or came to nothing counts as a failure.
Only somebody new at the door makes her ask sooner, unless the server itself has said how long it
wants to be left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from soul.core.backoff import Backoff
from soul.mind.providers.base import ProviderError

FIRST_PAUSE = 2.0  # s
LONGEST_PAUSE = 300.0  # s


class Availability:
    """Availability of one model; call on the event loop.

    Parameters
    ----------
    changed
        Called when a pause is over.
    pause
        Lets so many seconds pass.
    tell
        Hears what is wrong and what to do, once for each trouble.
    free_in
        How long until any model can be asked, s; None: whoever pauses here decides it alone.
    hurry
        Ends the models' own pauses for somebody new; whether any can be asked then.
    """

    def __init__(
        self,
        changed: Callable[[], None],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        tell: Callable[[str], None] = lambda trouble: None,
        free_in: Callable[[], float | None] = lambda: None,
        hurry: Callable[[], bool] = lambda: True,
    ) -> None:
        self._changed = changed
        self._pause = pause
        self._tell = tell
        self._free_in = free_in
        self._hurry = hurry
        self._backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
        self._pausing: asyncio.Task[None] | None = None
        self._wanted = False  # the server has said how long the pause is
        self.trouble = ''  # for the log
        self.why = ''  # for whoever is at the door

    @property
    def now(self) -> bool:
        """Whether it can be used now."""
        return self._pausing is None

    def failed(self, error: ProviderError) -> None:
        """It failed: leave it alone for a while, or for as long as the server has said."""
        self.why = str(error)
        trouble = f'{error}: {error.detail}' if error.detail else str(error)
        if trouble != self.trouble:
            self.trouble = trouble
            self._tell(trouble)
        pause = self._backoff.next()
        free_in = self._free_in()
        if free_in is not None:
            pause = max(pause, free_in)
        elif error.lasting:
            pause = LONGEST_PAUSE
        self.close()
        self._wanted = error.after > 0.0
        self._pausing = asyncio.get_running_loop().create_task(self._wait(max(pause, error.after)))

    async def _wait(self, seconds: float) -> None:
        await self._pause(seconds)
        self._pausing = None
        self._changed()

    def sooner(self) -> bool:
        """End the pause for somebody new; False if there is none, or the server wanted it.

        The next failure's pause is longer all the same.
        """
        if self._pausing is None or self._wanted or not self._hurry():
            return False
        self.close()
        return True

    def worked(self) -> None:
        """Note that the model has answered: the next pause is the shortest again."""
        self._backoff.reset()
        self.trouble = ''

    def close(self) -> None:
        """End the pause without telling anybody."""
        if self._pausing is not None:
            self._pausing.cancel()
            self._pausing = None
