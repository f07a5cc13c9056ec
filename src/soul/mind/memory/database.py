"""The file behind the index: opened, checked, set aside when it cannot be used."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from soul.store.durable import set_aside

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


class Locked(OSError):
    """Somebody else holds the index for writing; the notes are written all the same."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EBUSY, 'somebody else holds it for writing; try again', str(path))


class IndexCorrupt(Exception):
    """The index cannot be used."""


class Database:
    """One SQLite file that can be made anew at any time.

    Attributes
    ----------
    anomalies
        What was wrong with it, in words.

    Raises
    ------
    FileNotFoundError
        If it is only to be read and not there.
    Locked
        If somebody else holds it while it is made.
    """

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self.path = path
        self.anomalies: list[str] = []
        if read_only:
            if not path.exists():
                raise FileNotFoundError(f'there is no index {path} yet')
            self._open = self._opened(f'{path.as_uri()}?mode=ro')
            return
        try:
            self._open = self._connected()
        except sqlite3.DatabaseError as error:
            if _is_locked(error):
                raise Locked(path) from error
            self.discard(str(error))

    @staticmethod
    def _opened(address: str) -> sqlite3.Connection:
        return sqlite3.connect(
            address,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )

    def _connected(self) -> sqlite3.Connection:
        database = self._opened(self.path.absolute().as_uri())
        try:
            database.execute('PRAGMA journal_mode=WAL')
            # derived: after a power cut it is made anew at worst
            database.execute('PRAGMA synchronous=NORMAL')
            if not _tables(database):
                database.execute('BEGIN IMMEDIATE')
                # somebody else may have made it meanwhile
                if not _tables(database):
                    for statement in _TABLES.split(';'):
                        database.execute(statement)
                database.execute('COMMIT')
            form = database.execute('PRAGMA user_version').fetchone()[0]
            if form != SCHEMA:
                raise sqlite3.DatabaseError(f'has form {form}, expected {SCHEMA}')
            for table in ('files', 'entries', 'words', 'pairs'):
                database.execute(f'SELECT 1 FROM {table} LIMIT 1').fetchone()
        except sqlite3.DatabaseError:
            database.close()
            raise
        return database

    def discard(self, why: str) -> None:
        """Set a corrupt file aside and begin an empty one."""
        self.close()
        for name in (f'{self.path.name}-wal', f'{self.path.name}-shm'):
            self.path.with_name(name).unlink(missing_ok=True)
        aside = set_aside(self.path, 'corrupt')
        self.anomalies.append(f'{self.path.name}: {why}; kept as {aside.name}, made anew')
        self._open = self._connected()

    def ask(self, statement: str, values: Sequence[object] = ()) -> list[tuple]:
        """Return all rows of a query.

        Raises
        ------
        IndexCorrupt
            If the file cannot be read.
        """
        try:
            return self._open.execute(statement, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._translated(error) from error

    def version(self) -> tuple[int, int]:
        """Return what changes with each change of the file, by this process or by another.

        Raises
        ------
        IndexCorrupt
            If the file cannot be read.
        """
        ((others,),) = self.ask('PRAGMA data_version')
        return others, self._open.total_changes

    def write(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Do all of some work or nothing.

        Raises
        ------
        Locked
            If somebody else is writing.
        IndexCorrupt
            If the file cannot be used.
        """
        try:
            self._open.execute('BEGIN IMMEDIATE')
            work(self._open)
            self._open.execute('COMMIT')
        except sqlite3.DatabaseError as error:
            raise self._translated(error) from error
        finally:
            if self._open.in_transaction:
                self._open.execute('ROLLBACK')

    def _translated(self, error: sqlite3.DatabaseError) -> Exception:
        return Locked(self.path) if _is_locked(error) else IndexCorrupt(str(error))

    def close(self) -> None:
        """Close the file; it can be opened again by another object."""
        if hasattr(self, '_open'):
            self._open.close()


def _tables(database: sqlite3.Connection) -> int:
    return int(database.execute('SELECT count(*) FROM sqlite_master').fetchone()[0])


def _is_locked(error: sqlite3.DatabaseError) -> bool:
    return any(word in str(error) for word in ('locked', 'busy'))
