"""How often a model may be asked: at most so many times in any minute."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable

#: The length of the window, s.
WINDOW = 60.0


class RequestRate:
    """A sliding window over the last minute.

    Parameters
    ----------
    most
        Requests in any minute.
    steady
        Seconds of a clock that is not set.
    pause
        Lets so many seconds of that clock pass.
    """

    def __init__(
        self,
        most: int,
        steady: Callable[[], float],
        pause: Callable[[float], Awaitable[None]],
    ) -> None:
        self._most = most
        self._steady = steady
        self._pause = pause
        self._asked: deque[float] = deque()

    async def room(self) -> None:
        """Wait until one more request is within the ceiling, and count it."""
        while True:
            now = self._steady()
            while self._asked and not now - WINDOW < self._asked[0] <= now:
                self._asked.popleft()
            if len(self._asked) < self._most:
                self._asked.append(now)
                return
            await self._pause(max(0.001, self._asked[0] + WINDOW - now))
