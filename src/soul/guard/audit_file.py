"""The guard's database: opened, found damaged or vanished, and written in whole transactions."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from soul.guard.chain import GENESIS, link
from soul.store import Unreadable

SCHEMA = """
CREATE TABLE IF NOT EXISTS acts (
    id TEXT PRIMARY KEY, what TEXT NOT NULL, by TEXT NOT NULL, session TEXT NOT NULL,
    state TEXT NOT NULL, text TEXT NOT NULL, detail TEXT NOT NULL, receipt TEXT NOT NULL,
    intended REAL NOT NULL, changed REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS events (
    number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, kind TEXT NOT NULL,
    ref TEXT NOT NULL, detail TEXT NOT NULL, digest TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS events_ref ON events (ref);
CREATE INDEX IF NOT EXISTS acts_state ON acts (state);
"""
#: Homes of before have rows without a digest.
CHAINED = "ALTER TABLE events ADD COLUMN digest TEXT NOT NULL DEFAULT ''"
PUT = (
    'INSERT INTO acts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE '
    'SET state = excluded.state, detail = excluded.detail, receipt = excluded.receipt, '
    'changed = excluded.changed'
)
NOTE = 'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)'
HEAD = 'SELECT number, digest FROM events ORDER BY number DESC LIMIT 1'
#: In SQLite's own words: before Python 3.11 its errors carry no number.
_BUSY = 'locked'
_DAMAGED = ('malformed', 'not a database')


class AuditEntry(NamedTuple):
    """What is written at once: an event, and with it the act whose newest state it is."""

    at: float  # s since 1970
    kind: str
    ref: str
    detail: str  # JSON
    act: tuple[Any, ...] = ()  # a row of the table `acts`; empty: it is about none


class AuditFile:
    """The database at a path; None keeps it in memory.

    Parameters
    ----------
    patience
        How long the start waits for whoever holds it, s; afterwards nobody waits.

    Raises
    ------
    Unreadable
        If the file is no database, or damaged. It stays as it is.
    OSError
        If it cannot be opened or written, or is held by somebody else.
    """

    def __init__(self, path: Path | None, patience: float) -> None:
        self._path = path
        self.anomalies: list[str] = []
        self._db = self._open(patience)
        self._check()

    def _open(self, patience: float = 0.0) -> sqlite3.Connection:
        path = self._path
        if path is not None:  # sqlite would make it readable by everybody
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        with self.named():
            db = sqlite3.connect(
                str(path) if path else ':memory:',
                timeout=patience,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                db.execute('PRAGMA journal_mode = WAL')
                db.execute('PRAGMA synchronous = FULL')
                db.executescript(SCHEMA)
                if 'digest' not in {row[1] for row in db.execute('PRAGMA table_info(events)')}:
                    db.execute(CHAINED)
                db.execute('PRAGMA busy_timeout = 0')
                head = db.execute(HEAD).fetchone()
            except sqlite3.DatabaseError as error:
                db.close()
                if path is not None and any(word in str(error) for word in _DAMAGED):
                    raise Unreadable(path, [f'it is damaged: {error}']) from error
                raise
        self._identity = self._found()
        #: Number and digest of the newest event.
        self.head: tuple[int, str] = (head[0], head[1] or GENESIS) if head else (0, GENESIS)
        return db

    def _check(self) -> None:
        try:
            found = self._db.execute('PRAGMA quick_check(1)').fetchone()[0]
        except sqlite3.DatabaseError as error:
            if _BUSY in str(error):
                raise OSError(errno.EBUSY, str(error), str(self._path)) from error
            found = str(error)
        if found != 'ok':
            self._db.close()
            assert self._path is not None
            raise Unreadable(self._path, [f'it is damaged: {found}'])

    def _found(self) -> tuple[int, int]:
        if self._path is None:
            return (0, 0)
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            return (-1, -1)
        return status.st_dev, status.st_ino

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Make of what sqlite says an error of the file, as all other storage raises it."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
                raise  # a mistake of ours
            number = errno.EBUSY if _BUSY in str(error) else errno.EIO
            raise OSError(number, str(error), str(self._path)) from error

    def write(self, entries: Iterable[AuditEntry]) -> None:
        """Write entries as one: all are on the disk when this returns, or none.

        Raises
        ------
        OSError
            If they cannot be.
        """
        if self._found() != self._identity:
            # sqlite goes on writing to a file without a name, and nothing says so
            old, self._db = self._db, self._open()
            old.close()
            self.anomalies.append(f'{self._path} had vanished and was begun anew')
        number, digest = self.head
        with self.named():
            self._db.execute('BEGIN IMMEDIATE')
            try:
                newest = self._db.execute(HEAD).fetchone()
                if newest is not None:  # a row of somebody else's breaks the chain, not the guard
                    number = max(number, newest[0])
                for entry in entries:
                    number += 1
                    digest = link(digest, number, *entry[:4])
                    self._db.execute(NOTE, (number, *entry[:4], digest))
                    if entry.act:
                        self._db.execute(PUT, entry.act)
                self._db.execute('COMMIT')
            except sqlite3.DatabaseError:
                if self._db.in_transaction:
                    self._db.execute('ROLLBACK')
                raise
        self.head = number, digest

    def ask(self, question: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return the rows that answer a question.

        Raises
        ------
        OSError
            If it cannot be read.
        """
        with self.named():
            return self._db.execute(question, values).fetchall()

    def close(self) -> None:
        """Close the database; nothing can be written or asked afterwards."""
        self._db.close()
