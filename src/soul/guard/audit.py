"""The audit: every act, grant, stop and turn, in SQLite; an intent is on the disk first."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
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
OPEN_STATES = (ActState.INTENDED, ActState.PENDING, ActState.EXECUTING)


class Audit:
    """The guard's database; `path` None keeps it in memory."""

    def __init__(self, path: Path | None = None) -> None:
        if path is not None:  # sqlite would make it readable by everybody
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        self._db = sqlite3.connect(
            str(path) if path else ':memory:', isolation_level=None, check_same_thread=False
        )
        self._db.execute('PRAGMA journal_mode = WAL')
        self._db.execute('PRAGMA synchronous = FULL')
        self._db.execute('PRAGMA busy_timeout = 5000')
        self._db.executescript(SCHEMA)

    def put(self, act: Act, now: float) -> None:
        """Write an act's newest state; it is on the disk when this returns."""
        self._db.execute(
            'INSERT INTO acts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE '
            'SET state = excluded.state, detail = excluded.detail, receipt = excluded.receipt, '
            'changed = excluded.changed',
            (
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
            ),
        )

    def get(self, act_id: str) -> Act | None:
        """Find an act."""
        row = self._db.execute(
            'SELECT changed, id, what, by, session, state, text, detail, receipt FROM acts '
            'WHERE id = ?',
            (act_id,),
        ).fetchone()
        return Act(*row) if row else None

    def unfinished(self) -> list[Act]:
        """Acts without an end, oldest first."""
        rows = self._db.execute(
            'SELECT changed, id, what, by, session, state, text, detail, receipt FROM acts '
            'WHERE state IN (?, ?, ?) ORDER BY intended',
            OPEN_STATES,
        )
        return [Act(*row) for row in rows]

    def recent(self, count: int) -> list[Act]:
        """Return the newest acts, newest last."""
        rows = self._db.execute(
            'SELECT changed, id, what, by, session, state, text, detail, receipt FROM acts '
            'ORDER BY intended DESC, rowid DESC LIMIT ?',
            (count,),
        ).fetchall()
        return [Act(*row) for row in reversed(rows)]

    def note(self, now: float, kind: str, ref: str, detail: Mapping[str, Any]) -> None:
        """Write down something that happened."""
        self._db.execute(
            'INSERT INTO events (at, kind, ref, detail) VALUES (?, ?, ?, ?)',
            (now, kind, ref, json.dumps(detail, ensure_ascii=False)),
        )

    def noted(self, kind: str, ref: str) -> bool:
        """Whether something of that kind and reference is written down already."""
        found = self._db.execute(
            'SELECT 1 FROM events WHERE ref = ? AND kind = ? LIMIT 1', (ref, kind)
        )
        return found.fetchone() is not None

    def close(self) -> None:
        """Close the database."""
        self._db.close()
