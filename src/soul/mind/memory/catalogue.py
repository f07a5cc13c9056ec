"""Keeps the index in step with the notes, whoever changes them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from soul.mind.memory.database import IndexCorrupt, Locked
from soul.mind.memory.entry import Entry
from soul.mind.memory.index import Index, Stat
from soul.mind.memory.index_rows import PAGES
from soul.mind.memory.notebook import Note, Notebook
from soul.mind.memory.own_pages import OwnPages, PageSource
from soul.mind.memory.watch import Watch

FILE = 'index.db'
#: So many changed notes, and more than half of all, are quicker made anew together.
_MANY = 200
R = TypeVar('R')


class Catalogue:
    """The index of a notebook.

    Attributes
    ----------
    version
        Grows whenever the index changes.
    """

    def __init__(
        self,
        folder: Path,
        notebook: Notebook,
        read_only: bool,
        pages: PageSource | None = None,
    ) -> None:
        self.version = 0
        self._notebook, self._read_only = notebook, read_only
        self._index = Index(folder / FILE, read_only)
        self._pages = OwnPages(pages)
        self._watch = Watch(folder)
        #: Notes that could not be entered because somebody else held the index.
        self._stale: set[str] = set()
        self._lock = threading.RLock()

    @property
    def anomalies(self) -> list[str]:
        """What was wrong with the index, in words."""
        return self._index.database.anomalies

    def ask(self, question: Callable[[Index], R]) -> R:
        """Use the index, up to date; a corrupt one is set aside and made anew."""
        with self._lock:
            self.refresh()
            return self._guarded(lambda: question(self._index))

    def ask_all(self, question: Callable[[Index], R]) -> R:
        """Use the index, up to date for her notes and her own pages."""
        with self._lock:
            self.refresh_pages()
            return self.ask(question)

    def refresh_pages(self) -> None:
        """Enter what was changed in her own pages since the last time."""
        if not self._read_only:
            with self._lock:
                self._guarded(lambda: self._pages.refresh(self._index))

    def refresh(self) -> None:
        """Enter what was changed in the notes since the last time."""
        if self._read_only:
            return
        with self._lock:
            changed = self._watch.changed()
            if changed is None:
                self._watch.renew()
                self._guarded(self._scan)
                return
            is_note, relative = self._notebook.is_note, self._notebook.relative
            paths = {relative(path) for path in changed if is_note(path)} | self._stale
            if paths:
                self._guarded(lambda: self._update(paths))

    def enter(self, paths: Iterable[str]) -> None:
        """Enter notes that she has just written."""
        with self._lock:
            for path in paths:
                note = self._notebook.load(path)
                self._guarded(partial(self._put, note))

    def rebuild(self) -> int:
        """Make the index anew from the notes; returns the number of entries.

        Raises
        ------
        Locked
            If somebody else is writing to it.
        """
        with self._lock:
            count = 0

            def notes() -> Iterator[tuple[str, Stat, Sequence[Entry]]]:
                nonlocal count
                for path, _ in self._notebook.paths():
                    note = self._notebook.load(path)
                    if note.stat is not None:
                        count += len(note.entries)
                        yield path, note.stat, note.entries

            self._guarded(lambda: self._index.put_all(notes()))
            self._stale.clear()
            self.version += 1
            return count

    def _scan(self) -> None:
        known = {p: s for p, s in self._index.files().items() if not p.startswith(PAGES)}
        there = dict(self._notebook.paths())
        changed = {path for path in {*known, *there} if known.get(path) != there.get(path)}
        if len(changed) > _MANY and len(changed) > len(known) // 2:
            try:
                self.rebuild()
            except Locked:
                self._watch.close()  # so that the next refresh looks at everything again
        elif changed:
            self._update(changed)

    def _update(self, paths: set[str]) -> None:
        known = self._index.files() if len(paths) > 1 else None
        for path in sorted(paths):
            note = self._notebook.load(path)
            before = self._index.file(path) if known is None else known.get(path)
            if before != note.stat or path in self._stale:
                self._put(note)

    def _put(self, note: Note) -> None:
        self.version += 1
        try:
            self._index.put(note.path, note.stat, note.entries)
        except Locked:
            # the note itself is written: only finding it waits
            self._stale.add(note.path)
        else:
            self._stale.discard(note.path)

    def _guarded(self, work: Callable[[], R]) -> R:
        try:
            return work()
        except IndexCorrupt as corrupt:
            if self._read_only:
                raise
            self._index.database.discard(str(corrupt))
            self.rebuild()
            return work()

    def close(self) -> None:
        """Close the index and end its watch."""
        with self._lock:
            self._watch.close()
            self._index.database.close()
