"""The index of all entries: SQLite with full-text search, derived from the notes.

It can be thrown away at any time. `words` holds groups of three characters, so that it finds any
piece of three characters or more in any script; `pairs` holds single characters and pairs of the
scripts written without spaces, and words of one or two letters.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from soul.memory.entry import Entry
from soul.store.durable import set_aside
from soul.store.pages import shown
from soul.store.terms import LONG, Terms, normal, short_tokens

SCHEMA = 1
BUSY_SECONDS = 1.0
#: Up to so many terms are first looked for all together.
MOST_TOGETHER = 4
_TABLES = f"""
CREATE TABLE files (path TEXT PRIMARY KEY, modified INTEGER, size INTEGER) WITHOUT ROWID;
CREATE TABLE entries (
  number INTEGER PRIMARY KEY, id TEXT, path TEXT, at REAL, origins TEXT, importance REAL,
  count INTEGER, digest TEXT, text TEXT, body TEXT, short TEXT);
CREATE INDEX entries_id ON entries (id);
CREATE INDEX entries_path ON entries (path, at);
CREATE INDEX entries_digest ON entries (digest);
CREATE VIRTUAL TABLE words USING fts5(
  body, content='entries', content_rowid='number', tokenize='trigram');
CREATE VIRTUAL TABLE pairs USING fts5(
  short, content='entries', content_rowid='number',
  tokenize='unicode61 remove_diacritics 0', detail='column');
PRAGMA user_version={SCHEMA};
"""
_COLUMNS = 'id, text, at, origins, importance, count, path'


class Stat(NamedTuple):
    """What tells that a file has changed."""

    modified: int  # ns
    size: int  # bytes


class Locked(Exception):
    """Somebody else holds the index for writing; the notes are written all the same."""


class IndexCorrupt(Exception):
    """The index cannot be used."""


class Index:
    """The index file.

    Attributes
    ----------
    anomalies
        What was wrong with it, in words.
    """

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self.path = path
        self.anomalies: list[str] = []
        self._read_only = read_only
        self._open()

    def _open(self) -> None:
        try:
            self._database = self._connect()
        except sqlite3.DatabaseError as error:
            if _is_locked(error) or self._read_only:
                raise
            self.discard(str(error))

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            database.execute('PRAGMA journal_mode=WAL')
            # derived: after a power cut it is made anew at worst
            database.execute('PRAGMA synchronous=NORMAL')
            if self._read_only:
                database.execute('PRAGMA query_only=1')
                return database
            made = database.execute('PRAGMA user_version').fetchone()[0]
            tables = database.execute('SELECT count(*) FROM sqlite_master').fetchone()[0]
            if made != SCHEMA and tables:
                raise sqlite3.DatabaseError(f'has form {made}, expected {SCHEMA}')
            if not tables:
                database.executescript(f'BEGIN IMMEDIATE;{_TABLES}COMMIT;')
            for table in ('files', 'entries', 'words', 'pairs'):
                database.execute(f'SELECT 1 FROM {table} LIMIT 1').fetchone()
        except sqlite3.DatabaseError:
            database.close()
            raise
        return database

    def discard(self, why: str) -> None:
        """Set a corrupt index aside and begin an empty one."""
        self.close()
        for name in (f'{self.path.name}-wal', f'{self.path.name}-shm'):
            self.path.with_name(name).unlink(missing_ok=True)
        aside = set_aside(self.path, 'corrupt')
        self.anomalies.append(f'{self.path.name}: {why}; kept as {aside.name}, made anew')
        self._database = self._connect()

    def close(self) -> None:
        """Close the file."""
        if hasattr(self, '_database'):
            self._database.close()

    # --- files ----------------------------------------------------------------------------

    def files(self) -> dict[str, Stat]:
        """Return what is known of all notes."""
        rows = self._ask('SELECT path, modified, size FROM files')
        return {path: Stat(modified, size) for path, modified, size in rows}

    def file(self, path: str) -> Stat | None:
        """Return what is known of one note."""
        rows = self._ask('SELECT modified, size FROM files WHERE path=?', (path,))
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
        self._write(lambda: self._put(path, stat, entries))

    def put_all(self, notes: Iterable[tuple[str, Stat, Sequence[Entry]]]) -> None:
        """Make the whole index anew."""

        def write() -> None:
            self._database.execute('DELETE FROM files')
            self._database.execute('DELETE FROM entries')
            for path, stat, entries in notes:
                self._database.execute('INSERT INTO files VALUES (?,?,?)', (path, *stat))
                self._insert(path, entries)
            for table in ('words', 'pairs'):
                self._database.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")

        self._write(write)

    def _put(self, path: str, stat: Stat | None, entries: Sequence[Entry]) -> None:
        self._replace(path, entries)
        if stat is None:
            self._database.execute('DELETE FROM files WHERE path=?', (path,))
        else:
            self._database.execute('REPLACE INTO files VALUES (?,?,?)', (path, *stat))

    def _write(self, work: Callable[[], None]) -> None:
        """Do all of it or nothing."""
        try:
            self._database.execute('BEGIN IMMEDIATE')
            work()
            self._database.execute('COMMIT')
        except sqlite3.DatabaseError as error:
            raise _translated(error) from error
        finally:
            if self._database.in_transaction:
                self._database.execute('ROLLBACK')

    def _replace(self, path: str, entries: Sequence[Entry]) -> None:
        """Change only what differs: searching tables are slow to write."""
        rows = self._database.execute(
            f'SELECT number, body, short, {_COLUMNS} FROM entries WHERE path=?', (path,)
        ).fetchall()
        there = {tuple(row[3:]): row[:3] for row in rows}
        wanted = {_row(entry, path): entry for entry in entries}
        gone = [old for key, old in there.items() if key not in wanted]
        gone += [row[:3] for row in rows if there[tuple(row[3:])][0] != row[0]]
        for number, body, short in gone:
            for table, column, value in (('words', 'body', body), ('pairs', 'short', short)):
                self._database.execute(
                    f"INSERT INTO {table} ({table}, rowid, {column}) VALUES ('delete', ?, ?)",
                    (number, value),
                )
            self._database.execute('DELETE FROM entries WHERE number=?', (number,))
        new = [entry for key, entry in wanted.items() if key not in there]
        for number, body, short in self._insert(path, new):
            self._database.execute('INSERT INTO words (rowid, body) VALUES (?,?)', (number, body))
            self._database.execute(
                'INSERT INTO pairs (rowid, short) VALUES (?,?)', (number, short)
            )

    def _insert(self, path: str, entries: Iterable[Entry]) -> list[tuple[int, str, str]]:
        added = []
        for entry in entries:
            body = normal(shown(entry.text))
            short = short_tokens(body)
            cursor = self._database.execute(
                f'INSERT INTO entries ({_COLUMNS}, digest, body, short) '
                'VALUES (?,?,?,?,?,?,?,?,?,?)',
                (*_row(entry, path), entry.digest, body, short),
            )
            added.append((int(cursor.lastrowid or 0), body, short))
        return added

    # --- searching ------------------------------------------------------------------------

    def match(self, terms: Terms, most: int) -> dict[int, float]:
        """Find entries; number -> relevance (the greater the better).

        Entries with all terms come first; if these are fewer than `most`, those with any follow.
        """
        found: dict[int, float] = {}
        for table, wanted in (('words', terms.long), ('pairs', terms.short)):
            for number, rank in self._best(table, wanted, most):
                found[number] = found.get(number, 0.0) - rank
        return found

    def _best(self, table: str, wanted: Sequence[str], most: int) -> list[tuple[int, float]]:
        if not wanted:
            return []
        # with many terms no entry has all of them
        if len(wanted) <= MOST_TOGETHER:
            rows = self._all(table, wanted, most)
            if len(rows) >= most or len(wanted) == 1:
                return rows
        return self._matching(table, ' OR '.join(map(_quoted, wanted)), most)

    def _all(self, table: str, wanted: Sequence[str], most: int) -> list[tuple[int, float]]:
        return self._matching(table, ' AND '.join(map(_quoted, wanted)), most)

    def _matching(self, table: str, expression: str, most: int) -> list[tuple[int, float]]:
        return self._ask(
            f'SELECT rowid, rank FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?',
            (expression, most),
        )

    def with_all(self, terms: Sequence[str], most: int) -> list[int]:
        """Find entries that hold every one of some terms of one kind; numbers, best first."""
        if not terms:
            return []
        table = 'words' if len(terms[0]) >= LONG else 'pairs'
        return [number for number, _ in self._all(table, terms, most)]

    def contains(self, text: str, most: int) -> dict[int, float]:
        """Find entries that contain a text with nothing to search for in it: signs, say."""
        escaped = normal(text).replace('\\', '\\\\').replace('%', '\\%').replace('_', '\\_')
        rows = self._ask(
            "SELECT number FROM entries WHERE body LIKE ? ESCAPE '\\' ORDER BY at DESC LIMIT ?",
            (f'%{escaped}%', most),
        )
        return {number: 1.0 for (number,) in rows}

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """Return entries by number."""
        wanted = list(numbers)
        marks = ','.join('?' * len(wanted))
        rows = self._ask(
            f'SELECT number, {_COLUMNS} FROM entries WHERE number IN ({marks})', wanted
        )
        return {number: _entry(rest) for number, *rest in rows}

    def by_id(self, mark: str) -> list[Entry]:
        """Return the entries with a mark."""
        return self._entries('id=?', mark)

    def by_digest(self, digest: str) -> list[Entry]:
        """Return the entries whose letters and digits are the same."""
        return self._entries('digest=?', digest)

    def by_text(self, text: str, most: int) -> list[Entry]:
        """Return the entries that contain a text."""
        found = self.contains(text, most)
        return sorted(self.entries(found).values(), key=lambda entry: (entry.path, entry.id))

    def sizes(self) -> list[tuple[str, int, float]]:
        """Return (path, number of entries, time of the newest) of every note."""
        return self._ask('SELECT path, count(*), max(at) FROM entries GROUP BY path')

    def _entries(self, where: str, value: str) -> list[Entry]:
        rows = self._ask(f'SELECT {_COLUMNS} FROM entries WHERE {where} ORDER BY path', (value,))
        return [_entry(row) for row in rows]

    def _ask(self, statement: str, values: Sequence[object] = ()) -> list[tuple]:
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise _translated(error) from error


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _row(entry: Entry, path: str) -> tuple[str, str, float, str, float, int, str]:
    origins = '+'.join(entry.origins)
    return (entry.id, shown(entry.text), entry.at, origins, entry.importance, entry.count, path)


def _entry(row: Sequence) -> Entry:
    mark, text, at, origins, importance, count, path = row
    return Entry(mark, text, at, tuple(origins.split('+')), importance, count, path)


def _is_locked(error: sqlite3.DatabaseError) -> bool:
    return any(word in str(error) for word in ('locked', 'busy'))


def _translated(error: sqlite3.DatabaseError) -> Exception:
    kind = Locked if _is_locked(error) else IndexCorrupt
    return kind(str(error))
