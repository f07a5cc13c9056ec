"""The index of all entries: SQLite with full-text search, derived from the notes.

It can be thrown away at any time. `words` holds groups of three characters, so that it finds any
piece of three characters or more in any script; `pairs` holds single characters and pairs of the
scripts written without spaces, and words of one or two letters.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from soul.mind.memory.database import Database
from soul.mind.memory.entry import Entry
from soul.mind.memory.index_rows import (
    COLUMNS,
    FIRST_OF_PAGES,
    entry_of,
    insert,
    replace,
)
from soul.mind.memory.kept_terms import KeptTerms, quoted
from soul.text.terms import LONG, Terms, normal

#: Up to so many terms are first looked for all together.
MOST_TOGETHER = 4
_LAST = 1 << 62


class Stat(NamedTuple):
    """What tells that a file has changed."""

    modified: int  # ns
    size: int  # bytes


class Index:
    """The full-text index of all notes: SQLite FTS5, words and pairs of characters."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self.database = Database(path, read_only)
        self._kept = KeptTerms(self.database, FIRST_OF_PAGES)

    # --- files ----------------------------------------------------------------------------

    def files(self) -> dict[str, Stat]:
        """Return what is known of all notes."""
        rows = self.database.ask('SELECT path, modified, size FROM files')
        return {path: Stat(modified, size) for path, modified, size in rows}

    def file(self, path: str) -> Stat | None:
        """Return what is known of one note."""
        rows = self.database.ask('SELECT modified, size FROM files WHERE path=?', (path,))
        return Stat(*rows[0]) if rows else None

    def put(self, path: str, stat: Stat | None, entries: Sequence[Entry]) -> None:
        """Bring the index up to date with one note.

        Parameters
        ----------
        stat
            None: the note is gone.
        entries
            All that stands in it.

        Raises
        ------
        Locked
            If somebody else is writing; nothing is changed then.
        """

        def work(database: sqlite3.Connection) -> None:
            replace(database, path, entries)
            if stat is None:
                database.execute('DELETE FROM files WHERE path=?', (path,))
            else:
                database.execute('REPLACE INTO files VALUES (?,?,?)', (path, *stat))

        self.database.write(work)

    def put_all(self, notes: Iterable[tuple[str, Stat, Sequence[Entry]]]) -> None:
        """Make the whole index anew.

        Raises
        ------
        Locked
            If somebody else is writing; nothing is changed then.
        """

        def work(database: sqlite3.Connection) -> None:
            database.execute('DELETE FROM files')
            database.execute('DELETE FROM entries')
            for path, stat, entries in notes:
                database.execute('INSERT INTO files VALUES (?,?,?)', (path, *stat))
                insert(database, path, entries)
            for table in ('words', 'pairs'):
                database.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")

        self.database.write(work)

    # --- searching ------------------------------------------------------------------------

    def match(self, terms: Terms, most: int) -> dict[int, float]:
        """Find entries; number -> relevance, 1 for the best of each kind of terms.

        Entries with all terms come first; if these are fewer than `most`, those with any follow.
        """
        tables = (('words', terms.long), ('pairs', terms.short))
        return _together(self._best(table, wanted, most) for table, wanted in tables)

    def with_rare(self, terms: Terms, most: int) -> tuple[Mapping[int, float], dict[int, Entry]]:
        """Find entries with any of some rare terms (:meth:`rare`).

        What terms find is kept until the index changes: what she sees changes little from waking
        to waking.

        Returns
        -------
        relevance, entries
            By number; relevance as :meth:`match` returns it.
        """
        self._kept.refresh()
        relevance = self._kept.together(terms, most, self._with_rare)
        return relevance, self._kept.entries(relevance, self.entries)

    def _with_rare(self, terms: Terms, most: int) -> dict[int, float]:
        tables = (('words', terms.long), ('pairs', terms.short))
        return _together(self._with_any(table, wanted, most) for table, wanted in tables)

    def _with_any(self, table: str, wanted: Sequence[str], most: int) -> list[tuple[int, float]]:
        # bm25 of any of several terms is the sum of theirs
        ranks: dict[int, float] = {}
        for term in wanted:
            for number, rank in self._kept.found(table, term):
                ranks[number] = ranks.get(number, 0.0) + rank
        return heapq.nsmallest(most, ranks.items(), key=itemgetter(1, 0))

    def _best(self, table: str, wanted: Sequence[str], most: int) -> list[tuple[int, float]]:
        if not wanted:
            return []
        # with many terms no entry has all of them
        if len(wanted) <= MOST_TOGETHER:
            rows = self._all(table, wanted, most)
            if len(rows) >= most or len(wanted) == 1:
                return rows
        return self._matching(table, ' OR '.join(map(quoted, wanted)), most)

    def _all(self, table: str, wanted: Sequence[str], most: int) -> list[tuple[int, float]]:
        return self._matching(table, _all_of(wanted), most)

    def _matching(self, table: str, expression: str, most: int) -> list[tuple[int, float]]:
        return self.database.ask(
            f'SELECT rowid, rank FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?',
            (expression, most),
        )

    def with_all(self, terms: Sequence[str], most: int) -> list[int]:
        """Find notes' entries with every one of some terms of one kind; numbers, best first."""
        if not terms:
            return []
        table = 'words' if len(terms[0]) >= LONG else 'pairs'
        rows = self.database.ask(
            f'SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid<? ORDER BY rank LIMIT ?',
            (_all_of(terms), FIRST_OF_PAGES, most),
        )
        return [number for (number,) in rows]

    def rare(self, terms: Terms, most: int, rows: int) -> Terms:
        """Return those terms that tell most: found in some entries, but in few.

        Parameters
        ----------
        most
            How many of each kind.
        rows
            In so many entries together the terms of a kind may be found: to rank them takes time
            for each. The rarest is there in any case.
        """
        self._kept.refresh()

        def chosen(table: str, wanted: Sequence[str]) -> tuple[str, ...]:
            counts = {term: self._kept.count(table, term, rows) for term in wanted}
            there = sorted((t for t in wanted if counts[t]), key=lambda term: counts[term])[:most]
            together = accumulate(counts[term] for term in there)
            few = sum(found <= rows for found in together)
            return tuple(there[: max(1, few)])

        return Terms(chosen('words', terms.long), chosen('pairs', terms.short))

    def contains(self, text: str, most: int, pages: bool = True) -> dict[int, float]:
        """Find entries that contain a text with nothing to search for in it: signs, say.

        Parameters
        ----------
        pages
            Whether her own pages are looked through, beside her notes.
        """
        escaped = normal(text).replace('\\', '\\\\').replace('%', '\\%').replace('_', '\\_')
        rows = self.database.ask(
            "SELECT number FROM entries WHERE body LIKE ? ESCAPE '\\' AND number<? "
            'ORDER BY at DESC LIMIT ?',
            (f'%{escaped}%', _LAST if pages else FIRST_OF_PAGES, most),
        )
        return {number: 1.0 for (number,) in rows}

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """Return entries by number."""
        wanted = list(numbers)
        marks = ','.join('?' * len(wanted))
        rows = self.database.ask(
            f'SELECT number, {COLUMNS} FROM entries WHERE number IN ({marks})', wanted
        )
        return {number: entry_of(rest) for number, *rest in rows}

    def by_id(self, mark: str) -> list[Entry]:
        """Return the notes' entries with a mark."""
        return self._entries('id=?', mark)

    def by_digest(self, digest: str) -> list[Entry]:
        """Return the notes' entries whose letters and digits are the same."""
        return self._entries('digest=?', digest)

    def by_text(self, text: str, most: int) -> list[Entry]:
        """Return the notes' entries that contain a text."""
        found = self.contains(text, most, pages=False)
        return sorted(self.entries(found).values(), key=lambda entry: (entry.path, entry.id))

    def sizes(self) -> list[tuple[str, int, float]]:
        """Return (path, number of entries, time of the newest) of every note."""
        return self.database.ask(
            'SELECT path, count(*), max(at) FROM entries WHERE number<? GROUP BY path',
            (FIRST_OF_PAGES,),
        )

    def _entries(self, where: str, value: str) -> list[Entry]:
        rows = self.database.ask(
            f'SELECT {COLUMNS} FROM entries WHERE {where} AND number<? ORDER BY path',
            (value, FIRST_OF_PAGES),
        )
        return [entry_of(row) for row in rows]


def _all_of(terms: Iterable[str]) -> str:
    return ' AND '.join(map(quoted, terms))


def _together(found: Iterable[Sequence[tuple[int, float]]]) -> dict[int, float]:
    """Put what several tables have found together; number -> relevance."""
    relevance: dict[int, float] = {}
    for rows in found:
        # each table by its own best: in a Latin memory a Chinese text would count as endless
        best = max((-rank for _, rank in rows), default=0.0) or 1.0
        for number, rank in rows:
            relevance[number] = relevance.get(number, 0.0) - rank / best
    return relevance
