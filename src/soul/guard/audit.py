"""The audit: every act, grant, stop and turn, in SQLite; an intent is on the disk first."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sqlite3
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from soul.signals import Act, ActState

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
OPEN_STATES = (ActState.INTENDED, ActState.PENDING, ActState.EXECUTING)


class Audit:
    """The guard's database; `path` None keeps it in memory.

    What nothing may happen without (`must`) is written or raises. What has happened anyway and
    cannot be written now is owed: it is written, in its order, as soon as it can be.
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
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        path = self._path
        if path is not None:  # sqlite would make it readable by everybody
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        with self._named():
            db = sqlite3.connect(
                str(path) if path else ':memory:', isolation_level=None, check_same_thread=False
            )
            db.execute('PRAGMA journal_mode = WAL')
            db.execute('PRAGMA synchronous = FULL')
            db.execute('PRAGMA busy_timeout = 5000')
            db.executescript(SCHEMA)
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
            raise OSError(errno.EIO, str(error), str(self._path)) from error

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        if self._found() != self._identity:
            # sqlite goes on writing to a file without a name, and nothing says so
            old, self._db = self._db, self._open()
            old.close()
            self.anomalies.append(f'{self._path} had vanished and was begun anew')
        with self._named():
            self._db.execute(statement, values)

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
            self._write(*self._owed[0])
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

    def get(self, act_id: str) -> Act | None:
        """Find an act."""
        if act_id in self._owed_acts:
            return self._owed_acts[act_id]
        row = self._db.execute(f'{ACT} WHERE id = ?', (act_id,)).fetchone()
        return Act(*row) if row else None

    def unfinished(self) -> list[Act]:
        """Acts without an end, oldest first."""
        rows = self._db.execute(f'{ACT} WHERE state IN (?, ?, ?) ORDER BY intended', OPEN_STATES)
        return [Act(*row) for row in rows]

    def recent(self, count: int) -> list[Act]:
        """Return the newest acts, newest last."""
        rows = self._db.execute(
            f'{ACT} ORDER BY intended DESC, rowid DESC LIMIT ?', (count,)
        ).fetchall()
        acts = {row[1]: Act(*row) for row in reversed(rows)}
        return list({**acts, **self._owed_acts}.values())[-count:]

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
        found = self._db.execute(
            'SELECT 1 FROM events WHERE ref = ? AND kind = ? LIMIT 1', (ref, kind)
        )
        return found.fetchone() is not None

    def close(self) -> None:
        """Close the database; what is still owed is lost with it."""
        with contextlib.suppress(OSError):
            self._settle()
        self._db.close()
