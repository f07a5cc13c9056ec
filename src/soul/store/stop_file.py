"""The STOP file: while it exists nothing acts. Anybody may make it, with any tool.

Guard, mind and driver each watch it themselves, so that a stop needs no working graph.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from pathlib import Path

from inotify_simple import INotify, flags

from soul.store.durable import sync_directory

_CHANGES = flags.CREATE | flags.DELETE | flags.MOVED_TO | flags.MOVED_FROM | flags.CLOSE_WRITE


class StopFile:
    """Reads, writes and watches one home's STOP file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread: threading.Thread | None = None
        self._end = (-1, -1)

    def read(self) -> str | None:
        """Return the file's content, or None if it is not there."""
        try:
            return self.path.read_text(encoding='utf-8', errors='replace')
        except FileNotFoundError:
            return None

    def write(self, reason: str | None) -> None:
        """Write the file with a reason, or remove it with None; on the disk afterwards."""
        if reason is None:
            self.path.unlink(missing_ok=True)
        else:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, 'w', encoding='utf-8') as file:
                file.write(reason + '\n')
                file.flush()
                os.fsync(file.fileno())
        sync_directory(self.path.parent)

    def watch(self, changed: Callable[[str | None], None]) -> None:
        """Call `changed` with :meth:`read` after each change, on a thread of its own.

        The thread sleeps in the kernel until something in the directory changes.
        """
        inotify = INotify()
        inotify.add_watch(self.path.parent, _CHANGES)
        self._end = os.pipe()
        self._thread = threading.Thread(
            target=self._watch, args=(inotify, changed), name='stop-file', daemon=True
        )
        self._thread.start()

    def _watch(self, inotify: INotify, changed: Callable[[str | None], None]) -> None:
        before = self.read()
        while True:
            ready, _, _ = select.select([inotify, self._end[0]], [], [])
            if self._end[0] in ready:
                break
            names = {event.name for event in inotify.read(timeout=0)}
            content = self.read() if self.path.name in names else before
            if content != before:
                before = content
                changed(content)
        inotify.close()

    def close(self) -> None:
        """End watching."""
        if self._thread is None:
            return
        os.write(self._end[1], b'x')
        self._thread.join(5.0)
        for descriptor in self._end:
            os.close(descriptor)
        self._thread = None
