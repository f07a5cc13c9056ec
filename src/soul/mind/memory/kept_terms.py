"""What single terms find in the index, kept until the index changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from soul.mind.memory.database import Database
from soul.mind.memory.entry import Entry
from soul.text.terms import Terms

#: So many counts of terms are kept, and what so many terms have found.
MOST_COUNTS, MOST_FOUND = 20_000, 48
#: At most so many entries of a term are kept, and so many entries themselves.
MOST_ENTRIES, MOST_KEPT = 1000, 512


class KeptTerms:
    """Answers about single terms.

    Parameters
    ----------
    database
        Whose tables `words` and `pairs` are asked.
    below
        Entries with this number or a higher one are passed over.
    """

    def __init__(self, database: Database, below: int) -> None:
        self._database, self._below = database, below
        self._version = (-1, -1)  # of the file, of which the answers are
        self._count = lru_cache(MOST_COUNTS)(self._ask_count)
        self._found = lru_cache(MOST_FOUND)(self._ask_found)
        self._entries: dict[int, Entry] = {}
        self._together: tuple[tuple[Terms, int] | None, Mapping[int, float]] = (None, {})

    def count(self, table: str, term: str, enough: int) -> int:
        """Count the entries with a term, at most up to `enough`."""
        return self._count(table, term, enough)

    def found(self, table: str, term: str) -> list[tuple[int, float]]:
        """Return the best entries with a term: number and bm25, the lowest first."""
        return self._found(table, term)

    def together(
        self, terms: Terms, most: int, find: Callable[[Terms, int], Mapping[int, float]]
    ) -> Mapping[int, float]:
        """Return what several terms find together; what `find` has returned for them last."""
        if self._together[0] != (terms, most):
            self._together = (terms, most), find(terms, most)
        return self._together[1]

    def entries(
        self, numbers: Iterable[int], read: Callable[[list[int]], Mapping[int, Entry]]
    ) -> dict[int, Entry]:
        """Return entries by number; those that are not kept are read."""
        wanted = list(numbers)
        kept = {number: self._entries[number] for number in wanted if number in self._entries}
        missing = [number for number in wanted if number not in kept]
        if missing:
            found = read(missing)
            if len(self._entries) + len(found) > MOST_KEPT:
                self._entries.clear()
            self._entries.update(found)
            kept.update(found)
        return kept

    def refresh(self) -> None:
        """Let go of what is kept if the index has changed; called before a question."""
        version = self._database.version()
        if version != self._version:
            self._version = version
            self._count.cache_clear()
            self._found.cache_clear()
            self._entries.clear()
            self._together = (None, {})

    def _ask_count(self, table: str, term: str, enough: int) -> int:
        rows = f'SELECT 1 FROM {table} WHERE {table} MATCH ? AND rowid<? LIMIT ?'
        values = quoted(term), self._below, enough
        return int(self._database.ask(f'SELECT count(*) FROM ({rows})', values)[0][0])

    def _ask_found(self, table: str, term: str) -> list[tuple[int, float]]:
        return self._database.ask(
            f'SELECT rowid, rank FROM {table} WHERE {table} MATCH ? AND rowid<? '
            'ORDER BY rank LIMIT ?',
            (quoted(term), self._below, MOST_ENTRIES),
        )


def quoted(term: str) -> str:
    """Write a term as FTS5 wants it."""
    return '"' + term.replace('"', '""') + '"'
