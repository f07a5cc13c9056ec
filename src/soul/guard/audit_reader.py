"""Reads the audit of a home, also while she lives: shows it, exports it, checks its chain."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from soul.guard.audit import ACT_EVENT, TOLD
from soul.guard.chain import Row, faults
from soul.store.atomic import AtomicFile, Unreadable

FILE = 'guard.db'
_ROWS = 'SELECT number, at, kind, ref, detail, digest FROM events'


class AuditUnreadable(Exception):
    """There is no audit, or it cannot be read."""


class AuditReader:
    """The audit of a home; nothing is ever written.

    Parameters
    ----------
    home
        Folder of it.

    Raises
    ------
    AuditUnreadable
        If there is none, or it is no audit.
    """

    def __init__(self, home: Path) -> None:
        path = home / FILE
        self._home = home
        if not path.is_file():
            raise AuditUnreadable(f'there is no audit at {path}: she has not lived there yet')
        try:
            self._db = sqlite3.connect(f'{path.absolute().as_uri()}?mode=ro', uri=True)
            columns = {row[1] for row in self._db.execute('PRAGMA table_info(events)')}
        except sqlite3.DatabaseError as error:
            raise AuditUnreadable(f'{path} cannot be read: {error}') from error
        if 'digest' not in columns:
            self._db.close()
            raise AuditUnreadable(f'{path} is older than the chain: it gets one at her next start')

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def rows(self, kind: str = '', since: float = 0.0, newest: int = 0) -> Iterator[Row]:
        """Return rows, oldest first.

        Parameters
        ----------
        kind
            Only such; empty: all.
        since
            Only those from then on, s since 1970.
        newest
            Only so many of the newest of them; 0: all.
        """
        question = f'{_ROWS} WHERE at >= ?{" AND kind = ?" if kind else ""}'
        values = (since, kind) if kind else (since,)
        if newest:
            question = f'SELECT * FROM ({question} ORDER BY number DESC LIMIT {int(newest)})'
        for row in self._ask(f'{question} ORDER BY number', values):
            yield Row(*row)

    def faults(self) -> Iterator[str]:
        """Name each place where the audit was changed, in words."""
        yield from faults(self.rows())
        yield from self._end()
        yield from self._acts()

    def _end(self) -> Iterator[str]:
        """Name newest rows that are gone; database and guard's memory know their number."""
        (last,) = next(self._ask('SELECT coalesce(max(number), 0) FROM events'))
        given = next(self._ask("SELECT seq FROM sqlite_sequence WHERE name = 'events'"), (0,))
        try:
            kept = AtomicFile(self._home / 'guard.json').read() or {}
        except (Unreadable, OSError):
            kept = {}
        number, digest = kept.get('audited', 0), kept.get('audit_digest', '')
        known = max(given[0], number if isinstance(number, int) else 0)
        if known > last:
            yield f'the newest rows are missing: {last + 1} to {known}'
        for (found,) in self._ask('SELECT digest FROM events WHERE number = ?', (number,)):
            if digest and found and found != digest:
                yield f'row {number} is not the one that the guard has written'

    def _acts(self) -> Iterator[str]:
        """Name acts whose newest state is not what the chain says."""
        newest = dict(
            self._ask(
                'SELECT ref, detail FROM events WHERE number IN '
                '(SELECT max(number) FROM events WHERE kind = ? GROUP BY ref)',
                (ACT_EVENT,),
            )
        )
        for act_id, *told in self._ask(f'SELECT id, {", ".join(TOLD)} FROM acts ORDER BY rowid'):
            if act_id not in newest:
                continue  # it is older than the chain
            try:
                said = json.loads(newest.pop(act_id))
            except ValueError:
                said = None
            if not isinstance(said, dict) or [said.get(name) for name in TOLD] != told:
                yield f'the act {act_id} was changed'
        for act_id in newest:
            yield f'the act {act_id} is missing'

    def _ask(self, question: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        try:
            yield from self._db.execute(question, values)
        except sqlite3.DatabaseError as error:
            raise AuditUnreadable(f'{self._home / FILE} cannot be read: {error}') from error
