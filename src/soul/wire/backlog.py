"""What has not been taken by the kernel yet, whole frames in order; not thread-safe."""

from __future__ import annotations

import os
from collections import deque


class Backlog:
    """Frames that wait for a file descriptor to take them.

    Parameters
    ----------
    limit
        Most bytes that wait; what comes on top is dropped, as it would be on a line that nobody
        reads.
    """

    def __init__(self, limit: int) -> None:
        self.waiting = 0  # bytes
        self._limit = limit
        self._frames: deque[bytes] = deque()
        self._torn = False  # whether the first one is the rest of one sent in part

    def __bool__(self) -> bool:
        return bool(self._frames)

    def add(self, frame: bytes, urgent: bool = False) -> None:
        """Add a frame; an urgent one goes before all that have not begun, and always fits."""
        if urgent:
            self._frames.insert(1 if self._torn else 0, frame)
        elif self.waiting + len(frame) <= self._limit:
            self._frames.append(frame)
        else:
            return
        self.waiting += len(frame)

    def flush(self, file: int) -> None:
        """Write as much as a non-blocking descriptor takes.

        Raises
        ------
        OSError
            If nobody is there any more; nothing waits then.
        """
        while self._frames:
            frame = self._frames.popleft()
            try:
                written = os.write(file, frame)
            except BlockingIOError:
                written = 0
            except OSError:
                self.clear()
                raise
            self.waiting -= written
            if written < len(frame):
                self._torn = self._torn or written > 0
                self._frames.appendleft(frame[written:])
                return
            self._torn = False

    def clear(self) -> None:
        """Drop everything; of a frame sent in part the end stays, so that it spoils no other."""
        torn, self._torn = self._torn, False
        self._frames.clear()
        self.waiting = 0
        if torn:
            self.add(b'\n')

    def reset(self) -> None:
        """Drop everything: the line is a new one."""
        self._torn = False
        self.clear()
