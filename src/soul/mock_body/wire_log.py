"""The device's own record of what it was told and what it said: one JSON line each.

It is what a bystander would have heard, so it decides whether an act was done once. A plain
write survives the end of the process (not of the machine), and an utterance is written down
before it sounds: after a kill it may be missing from the air, never from the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from soul.core.bounded import BoundedDict
from soul.store.journal import Journal

#: How many utterances the device remembers.
REMEMBERED = 4096


class WireLog:
    """A journal of the device that rotates: `path` and one older file of `limit` bytes."""

    def __init__(self, path: Path, limit: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(path, rotate_bytes=limit, keep=1)
        self._limit = limit

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append an entry.

        Raises:
        ------
        OSError
            If it cannot be written: what it announces does not happen then.
        """
        self._journal.append(entry, durable=False)

    def entries(self) -> Iterator[dict[str, Any]]:
        """Read all that is kept, oldest first."""
        return self._journal.entries(newest_bytes=2 * self._limit)

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    def spoken(self) -> BoundedDict[str, str]:
        """How each utterance ended, by its act id: done, cut, or empty where it was lost."""
        found: BoundedDict[str, str] = BoundedDict(REMEMBERED)
        for entry in self.entries():
            act = str(entry.get('act', ''))
            if act and entry.get('e') == 'say':
                found[act] = ''
            elif act in found and entry.get('e') == 'said':
                found[act] = 'done' if entry.get('ok') is True else 'cut'
        return found
