"""Her own pages as a part of what she can look up, beside her notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from soul.mind.memory.database import Locked
from soul.mind.memory.entry import Entry
from soul.mind.memory.index import Index, Stat
from soul.mind.memory.index_rows import PAGES


class PageSource(Protocol):
    """Pages that are looked up with her notes; nothing is written to them here."""

    def stats(self) -> Mapping[str, Stat]:
        """Return what tells that a page has changed, by name; reads none."""

    def entries(self, name: str) -> Sequence[Entry]:
        """Read the entries of a page; what cannot be read has none."""


class OwnPages:
    """Keeps the index in step with her pages: only those that have changed are read.

    Parameters
    ----------
    source
        Her pages; None: there are none.
    """

    def __init__(self, source: PageSource | None) -> None:
        self._source = source

    def refresh(self, index: Index) -> None:
        """Enter what has changed since the last time."""
        if self._source is None:
            return
        there = {f'{PAGES}{name}': stat for name, stat in self._source.stats().items()}
        known = {path: stat for path, stat in index.files().items() if path.startswith(PAGES)}
        for path in sorted({*known, *there}):
            stat = there.get(path)
            if known.get(path) == stat:
                continue
            name = path.removeprefix(PAGES)
            entries = self._source.entries(name) if stat is not None else ()
            try:
                index.put(path, stat, entries)
            except Locked:
                return  # somebody else is writing: they are found at the next question
