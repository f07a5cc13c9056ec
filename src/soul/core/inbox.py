"""What is to be done on an organ's thread, put there by any thread."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator

from soul.core.output import Work


class Inbox:
    """A queue that wakes the organ's thread; it exists before the organ does.

    Parameters
    ----------
    wake
        Called after each :meth:`put`, on the thread that puts: lets the runtime drain soon.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        # Its append and popleft are atomic.
        self._waiting: collections.deque[Work] = collections.deque()

    def put(self, work: Work) -> None:
        """Let `work(now)` be done, and what it returns be carried out. Thread-safe."""
        self._waiting.append(work)
        self._wake()

    def take(self) -> Iterator[Work]:
        """Take out what waits, the oldest first, also what is put meanwhile."""
        while self._waiting:
            yield self._waiting.popleft()

    def clear(self) -> None:
        """Forget what waits: it was meant for a life that is over."""
        self._waiting.clear()
