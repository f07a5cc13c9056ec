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
        Called after each :meth:`put` and :meth:`post`, on the thread that calls them: lets the
        runtime drain soon.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        # Its append and popleft are atomic.
        self._waiting: collections.deque[tuple[bool, Callable[..., object]]] = collections.deque()

    def put(self, work: Work) -> None:
        """Let `work(now)` be done, and what it returns be carried out. Thread-safe."""
        self._waiting.append((True, work))
        self._wake()

    def post(self, call: Callable[[], None]) -> None:
        """Let something be called in its turn that is no work of the organ's. Thread-safe."""
        self._waiting.append((False, call))
        self._wake()

    def take(self, do: Callable[[Work], None]) -> Iterator[Callable[[], None]]:
        """Take out what waits, the oldest first, also what is put meanwhile.

        Parameters
        ----------
        do
            Does a work of the organ's.
        """
        while self._waiting:
            is_work, entry = self._waiting.popleft()
            if is_work:
                yield lambda work=entry: do(work)  # type: ignore[misc]
            else:
                yield entry  # type: ignore[misc]

    def clear(self) -> None:
        """Forget what waits: it was meant for a life that is over."""
        self._waiting.clear()
