"""Her daily backup, on a thread of its own: nothing she does waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from soul.backup.archive import BadArchive
from soul.backup.backup import daily

#: It is looked so often whether today has a backup, s.
LOOK = 600.0
#: The first look comes so long after the start, s: a start has better things to do.
FIRST = 60.0


class Housekeeping:
    """Makes one backup a day and keeps seven days and four weeks.

    Parameters
    ----------
    target
        Folder for the backups.
    now
        Seconds since 1970.
    trouble
        Hears why a backup could not be made; once for each reason.
    """

    def __init__(
        self,
        home: Path,
        target: Path,
        now: Callable[[], float],
        trouble: Callable[[str], None],
        first: float = FIRST,
        look: float = LOOK,
    ) -> None:
        self._home = home
        self._target = target
        self._now = now
        self._trouble = trouble
        self._first, self._look = first, look
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._work, name='housekeeping', daemon=True)
        self._told = ''

    def start(self) -> Housekeeping:
        """Begin to look from time to time, on a thread of its own; returns itself."""
        self._thread.start()
        return self

    def close(self) -> None:
        """End; a backup in progress is given up with the process and leaves nothing behind."""
        self._end.set()
        self._thread.join(1.0)

    def _work(self) -> None:
        pause = self._first
        while not self._end.wait(pause):
            pause = self._look
            now = self._now()
            if now <= 0.0:
                continue  # simulated time has not begun
            try:
                daily(self._home, self._target, now)
                self._told = ''
            except (OSError, BadArchive) as error:
                why = f'no backup could be made in {self._target}: {error}'
                if why != self._told:
                    self._trouble(why)
                self._told = why
