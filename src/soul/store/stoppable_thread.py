"""A thread that sleeps in the kernel until something it waits for happens, or it is ended."""

from __future__ import annotations

import math
import os
import select
import threading
from collections.abc import Callable
from typing import Protocol

#: Longest time to wait for the thread at the end, s.
LAST_SECONDS = 5.0


class Readable(Protocol):
    """Something with a file descriptor."""

    def fileno(self) -> int:
        """Return the descriptor."""


class StoppableThread:
    """One such thread; `work` calls :meth:`sleep` in a loop."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self._name, self._work = name, work
        self._end = (-1, -1)
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin the thread; returns itself."""
        self._end = os.pipe()
        self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._thread.start()

    def sleep(self, source: Readable | None, seconds: float | None = None) -> bool | None:
        """Sleep until `source` can be read; None: until the time is over.

        Returns
        -------
        bool or None
            True if it can, False if the time is over, None if the thread is to end.
        """
        poll = select.poll()  # unlike select it takes any descriptor, also beyond 1,023
        poll.register(self._end[0], select.POLLIN)
        if source is not None:
            poll.register(source.fileno(), select.POLLIN)
        milliseconds = None if seconds is None else math.ceil(max(0.0, seconds) * 1000)
        ready = {descriptor for descriptor, _ in poll.poll(milliseconds)}
        return None if self._end[0] in ready else bool(ready)

    def close(self) -> None:
        """End the thread, if it has begun, and wait for it."""
        if self._thread is None:
            return
        os.write(self._end[1], b'x')
        self._thread.join(LAST_SECONDS)
        for descriptor in self._end:
            os.close(descriptor)
        self._thread = None
