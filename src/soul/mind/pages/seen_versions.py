"""What she knows of her files: which version she has seen, and which she wrote herself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from soul.store import AtomicFile, Unreadable
from soul.store.pages import page_digest

FILE = '.known.json'


class SeenVersions:
    """The record, in `soul/.known.json`.

    What she is going to write is noted before it is written, so that after a kill at any instant
    neither the old nor the new text passes for somebody else's.
    """

    def __init__(self, folder: Path) -> None:
        self._file = AtomicFile(folder / FILE)
        try:
            data = self._file.read()
            self.anomalies = self._file.anomalies
        except Unreadable as lost:
            # what is there now is the best that can be known
            data = None
            self.anomalies = [*self._file.anomalies, str(lost)]
        #: No record: whatever lies there counts as seen.
        self.new = data is None
        data = data or {}
        self._seen = _digests(data.get('seen'))
        self._hers = _digests(data.get('hers'))
        self.untold: list[str] = [str(name) for name in data.get('untold') or []]
        self.notes: list[str] = [str(note) for note in data.get('notes') or []]

    def has_seen(self, name: str, digest: str) -> bool:
        """Tell whether she has seen a page as it is now; its digest is empty if there is none."""
        return digest in self._seen.get(name, [''])

    def wrote(self, name: str, text: str | None) -> bool:
        """Tell whether a page is as she wrote it."""
        return page_digest(text) in self._hers.get(name, [''])

    def names(self) -> set[str]:
        """Names of all pages that were there."""
        return {name for name, digests in self._seen.items() if digests != ['']}

    def before_writing(
        self, there: Mapping[str, str | None], becomes: Mapping[str, str | None]
    ) -> None:
        """Note what she is going to write over what is there."""
        for name, text in becomes.items():
            digests = [page_digest(there.get(name)), page_digest(text)]
            if not self.has_seen(name, digests[0]):
                self.tell(name)
            self._seen[name] = digests
            hers = digests[0] in self._hers.get(name, [''])
            self._hers[name] = digests if hers else digests[1:]
        self.save()

    def see(self, name: str, digest: str) -> None:
        """Note that she has seen a page of somebody else's."""
        self._seen[name] = [digest]

    def own(self, name: str, digest: str) -> None:
        """Note that a page is hers, whether or not it has been written yet."""
        self._seen[name] = self._hers[name] = ['', digest]

    def tell(self, name: str) -> None:
        """Remember to tell her that somebody changed a page."""
        if name not in self.untold:
            self.untold.append(name)

    def told(self) -> None:
        """Note that she knows of all changes."""
        self.untold, self.notes = [], []
        self.save()

    def save(self) -> None:
        """Write the record; on the disk when this returns."""
        data: dict[str, Any] = {
            'seen': self._seen,
            'hers': self._hers,
            'untold': self.untold,
            'notes': self.notes,
        }
        self._file.write(data)
        self.new = False


def _digests(raw: object) -> dict[str, list[str]]:
    if not isinstance(raw, dict):
        return {}
    return {
        str(name): [str(digest) for digest in digests]
        for name, digests in raw.items()
        if isinstance(digests, Iterable)
    }
