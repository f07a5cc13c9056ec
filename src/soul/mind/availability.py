"""Whether the model can be used; after failures it is left alone for a while.

Asking during a pause would prolong it with many servers, so nobody asks: the pause doubles with
each failure in a row.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from soul.mind.providers.base import ProviderError

FIRST_PAUSE = 2.0  # s
LONGEST_PAUSE = 300.0  # s


class Availability:
    """Availability of one model; call on the event loop."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._failures = 0
        self._timer: asyncio.TimerHandle | None = None
        self.trouble = ''  # for the log
        self.why = ''  # for whoever is at the door

    @property
    def now(self) -> bool:
        """Whether it can be used now."""
        return self._timer is None

    def failed(self, error: ProviderError) -> None:
        """It failed: leave it alone for a while, or for as long as the server has said."""
        self._failures += 1
        self.why = str(error)
        self.trouble = f'{error}: {error.detail}' if error.detail else str(error)
        pause = min(FIRST_PAUSE * 2.0 ** min(self._failures - 1, 10), LONGEST_PAUSE)
        if error.lasting:
            pause = LONGEST_PAUSE
        self.close()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(max(pause, error.after), self._again)

    def _again(self) -> None:
        self._timer = None
        self._changed()

    def worked(self) -> None:
        """It works."""
        self._failures = 0
        self.trouble = ''

    def close(self) -> None:
        """Forget the pause."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
