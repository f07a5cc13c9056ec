"""The STOP file: while it exists nothing acts. Anybody may make it, with any tool.

Guard, mind and driver each watch it themselves, so that a stop needs no working graph.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from inotify_simple import INotify, flags

from soul.store.durable import sync_directory
from soul.store.sleeper import SleeperThread

_CHANGES = flags.CREATE | flags.DELETE | flags.MOVED_TO | flags.MOVED_FROM | flags.CLOSE_WRITE
_GONE = flags.DELETE_SELF | flags.MOVE_SELF


class StopFile:
    """Reads, writes and watches one home's STOP file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread: SleeperThread | None = None

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

        A file that is there already is told, too: `changed` may hear the same content twice.

        The thread sleeps in the kernel until something in the directory changes. A directory that
        is deleted or moved away is made anew: a stop must always be possible.
        """
        inotify = INotify()
        inotify.add_watch(self.path.parent, _CHANGES | _GONE)
        self._thread = SleeperThread('stop-file', lambda: self._watch(inotify, changed))
        self._thread.start()

    def _watch(self, inotify: INotify, changed: Callable[[str | None], None]) -> None:
        assert self._thread is not None
        before = self.read()
        if before is not None:
            # Also one that was made before anybody watched, or while this thread began.
            changed(before)
        while self._thread.sleep(inotify) is not None:
            events = inotify.read(timeout=0)
            gone = any(event.mask & _GONE for event in events)
            if gone:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                inotify.add_watch(self.path.parent, _CHANGES | _GONE)
            names = {event.name for event in events}
            content = self.read() if gone or self.path.name in names else before
            if content != before:
                before = content
                changed(content)
        inotify.close()

    def close(self) -> None:
        """End watching."""
        if self._thread is not None:
            self._thread.close()
