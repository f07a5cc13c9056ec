"""The audit: every act, grant, stop and turn, in SQLite; an intent is on the disk first."""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import sqlite3
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from soul.signals import Act, ActState
from soul.store import Unreadable

SCHEMA = """
CREATE TABLE IF NOT EXISTS acts (
    id TEXT PRIMARY KEY, what TEXT NOT NULL, by TEXT NOT NULL, session TEXT NOT NULL,
    state TEXT NOT NULL, text TEXT NOT NULL, detail TEXT NOT NULL, receipt TEXT NOT NULL,
    intended REAL NOT NULL, changed REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS events (
    number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, kind TEXT NOT NULL,
    ref TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS events_ref ON events (ref);
CREATE INDEX IF NOT EXISTS acts_state ON acts (state);
"""
ACT = 'SELECT changed, id, what, by, session, state, text, detail, receipt FROM acts'
PUT = (
    'INSERT INTO acts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE '
    'SET state = excluded.state, detail = excluded.detail, receipt = excluded.receipt, '
    'changed = excluded.changed'
)
NOTE = 'INSERT INTO events (at, kind, ref, detail) VALUES (?, ?, ?, ?)'
#: So many entries wait for room on the disk.
OWED_LIMIT = 10_000
#: So many of them are written in one transaction.
BATCH = 1000
#: How long the start waits for whoever holds the database, s. Afterwards nobody waits for it: the
#: guard's thread is the one that stops her.
START_SECONDS = 2.0
#: So many of the newest acts are known without looking into the database.
REMEMBERED = 32
#: In SQLite's own words: before Python 3.11 its errors carry no number.
_BUSY = 'locked'
_DAMAGED = ('malformed', 'not a database')
OPEN_STATES = (ActState.INTENDED, ActState.PENDING, ActState.EXECUTING)


class Audit:
    """The guard's database; `path` None keeps it in memory.

    What nothing may happen without (`must`) is written or raises. What has happened anyway and
    cannot be written now is owed: it is written, in its order, as soon as it can be. A lock that
    somebody else holds is no different from a full disk: nobody waits for it.

    Raises
    ------
    Unreadable
        If the file is no database, or damaged. It stays as it is.
    OSError
        If it cannot be opened or written, or is held by somebody else.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        #: Why something is owed; empty: nothing is.
        self.trouble = ''
        self.anomalies: list[str] = []
        self._owed: deque[tuple[str, tuple[Any, ...]]] = deque()
        self._owed_acts: dict[str, Act] = {}
        self._owed_events: set[tuple[str, str]] = set()
        self._lost = 0
        self._db = self._open(START_SECONDS)
        self._check()
        with self._named():
            rows = self._db.execute(
                f'{ACT} ORDER BY intended DESC, rowid DESC LIMIT ?', (REMEMBERED,)
            ).fetchall()
        self._newest = {row[1]: Act(*row) for row in reversed(rows)}

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

    def _open(self, patience: float = 0.0) -> sqlite3.Connection:
        path = self._path
        if path is not None:  # sqlite would make it readable by everybody
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        with self._named():
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
                db.execute('PRAGMA busy_timeout = 0')
            except sqlite3.DatabaseError as error:
                db.close()
                if path is not None and any(word in str(error) for word in _DAMAGED):
                    raise Unreadable(path, [f'it is damaged: {error}']) from error
                raise
        self._identity = self._found()
        return db

    def _found(self) -> tuple[int, int]:
        if self._path is None:
            return (0, 0)
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            return (-1, -1)
        return status.st_dev, status.st_ino

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Make of what sqlite says an error of the file, as all other storage raises it."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
                raise  # a mistake of ours
            number = errno.EBUSY if _BUSY in str(error) else errno.EIO
            raise OSError(number, str(error), str(self._path)) from error

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        self._renew()
        with self._named():
            self._db.execute(statement, values)

    def _renew(self) -> None:
        if self._found() != self._identity:
            # sqlite goes on writing to a file without a name, and nothing says so
            old, self._db = self._db, self._open()
            old.close()
            self.anomalies.append(f'{self._path} had vanished and was begun anew')

    def retry(self, now: float) -> bool:
        """Write what is owed, and that it was; whether it could be written."""
        try:
            self._settle()
            self._write(NOTE, (now, 'storage', '', json.dumps({'trouble': self.trouble})))
        except OSError as error:
            self.trouble = str(error)
            return False
        self.trouble = ''
        return True

    def _settle(self) -> None:
        while self._owed:
            self._renew()
            batch = list(itertools.islice(self._owed, BATCH))
            with self._named():
                self._db.execute('BEGIN IMMEDIATE')
                try:
                    for statement, values in batch:
                        self._db.execute(statement, values)
                    self._db.execute('COMMIT')
                except sqlite3.DatabaseError:
                    if self._db.in_transaction:
                        self._db.execute('ROLLBACK')
                    raise
            for _ in batch:
                self._owed.popleft()
        self._owed_acts.clear()
        self._owed_events.clear()

    def _owe(self, statement: str, values: tuple[Any, ...], error: OSError) -> None:
        self.trouble = str(error)
        self._owed.append((statement, values))
        if len(self._owed) > OWED_LIMIT:
            self._owed.popleft()
            self._lost += 1
            self.trouble += f'; {self._lost} entries could not be kept any longer'

    def put(self, act: Act, now: float, must: bool = True) -> None:
        """Write an act's newest state; it is on the disk when this returns.

        Raises
        ------
        OSError
            If it `must` be and cannot.
        """
        values = (
            act.id,
            act.what,
            act.by,
            act.session,
            act.state,
            act.text,
            act.detail,
            act.receipt,
            now,
            now,
        )
        try:
            self._settle()
            self._write(PUT, values)
        except OSError as error:
            if must:
                self.trouble = str(error)
                raise
            self._owe(PUT, values, error)
            self._owed_acts[act.id] = act
        else:
            self.trouble = ''
        self._remember(act)

    def _remember(self, act: Act) -> None:
        self._newest.pop(act.id, None)  # what has changed is news
        self._newest[act.id] = act
        while len(self._newest) > REMEMBERED:
            del self._newest[next(iter(self._newest))]

    def get(self, act_id: str) -> Act | None:
        """Return the newest state of an act; None if there is none of that id."""
        if act_id in self._owed_acts:
            return self._owed_acts[act_id]
        with self._named():
            row = self._db.execute(f'{ACT} WHERE id = ?', (act_id,)).fetchone()
        return Act(*row) if row else None

    def unfinished(self) -> list[Act]:
        """Acts without an end, oldest first."""
        with self._named():
            rows = self._db.execute(
                f'{ACT} WHERE state IN (?, ?, ?) ORDER BY intended', OPEN_STATES
            ).fetchall()
        return [Act(*row) for row in rows]

    def recent(self, count: int) -> list[Act]:
        """Return the newest acts, newest last, at most :data:`REMEMBERED`.

        From memory: her state is told in the middle of a stop, which waits for no database.
        """
        return list(self._newest.values())[-count:]

    def note(self, now: float, kind: str, ref: str, detail: Mapping[str, Any]) -> None:
        """Write down something that happened, as soon as it can be written."""
        values = (now, kind, ref, json.dumps(detail, ensure_ascii=False))
        try:
            self._settle()
            self._write(NOTE, values)
        except OSError as error:
            self._owe(NOTE, values, error)
            self._owed_events.add((kind, ref))

    def noted(self, kind: str, ref: str) -> bool:
        """Whether something of that kind and reference is written down already."""
        if (kind, ref) in self._owed_events:
            return True
        with self._named():
            found = self._db.execute(
                'SELECT 1 FROM events WHERE ref = ? AND kind = ? LIMIT 1', (ref, kind)
            ).fetchone()
        return found is not None

    def close(self) -> None:
        """Close the database; what is still owed is lost with it."""
        with contextlib.suppress(OSError):
            self._settle()
        self._db.close()
