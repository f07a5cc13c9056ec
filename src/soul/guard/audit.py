"""The audit: every act, stop, turn and request to a model; an intent is on the disk first."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from soul.guard.audit_file import AuditEntry, AuditFile
from soul.signals import Act, ActState

ACT = 'SELECT changed, id, what, by, session, state, text, detail, receipt FROM acts'
#: So many entries wait for room on the disk.
OWED_LIMIT = 10_000
#: So many of them are written in one transaction.
BATCH = 1000
#: How long the start waits for whoever holds the database, s. Afterwards nobody waits for it: the
#: guard's thread is the one that stops her.
START_SECONDS = 2.0
#: So many of the newest acts are known without looking into the database.
REMEMBERED = 32
#: An act's change as an event, and what of the act stands in it.
ACT_EVENT = 'act'
TOLD = ('what', 'by', 'session', 'state', 'text', 'detail', 'receipt')
OPEN_STATES = (ActState.INTENDED, ActState.PENDING, ActState.EXECUTING)


class Audit:
    """The guard's audit; `path` None keeps it in memory.

    What nothing may happen without (`must`) is written or raises. What has happened anyway and
    cannot be written now is owed: it is written, in its order, as soon as it can be. A lock that
    somebody else holds is no different from a full disk: nobody waits for it.

    Raises
    ------
    soul.store.Unreadable
        If the file is no database, or damaged. It stays as it is.
    OSError
        If it cannot be opened or written, or is held by somebody else.
    """

    def __init__(self, path: Path | None = None) -> None:
        #: Why something is owed; empty: nothing is.
        self.trouble = ''
        self._owed: deque[AuditEntry] = deque()
        self._owed_acts: dict[str, Act] = {}
        self._owed_events: set[tuple[str, str]] = set()
        self._lost = 0
        self._file = AuditFile(path, START_SECONDS)
        rows = self._file.ask(f'{ACT} ORDER BY intended DESC, rowid DESC LIMIT ?', (REMEMBERED,))
        self._newest = {row[1]: Act(*row) for row in reversed(rows)}

    @property
    def anomalies(self) -> list[str]:
        """What was wrong with the file, in words."""
        return self._file.anomalies

    @property
    def head(self) -> tuple[int, str]:
        """Number and digest of the newest row; see :mod:`soul.guard.chain`."""
        return self._file.head

    def retry(self, now: float) -> bool:
        """Write what is owed, and that it was; whether it could be written."""
        try:
            self._settle()
            detail = json.dumps({'trouble': self.trouble}, ensure_ascii=False)
            self._file.write([AuditEntry(now, 'storage', '', detail)])
        except OSError as error:
            self.trouble = str(error)
            return False
        self.trouble = ''
        return True

    def _settle(self) -> None:
        while self._owed:
            batch = list(itertools.islice(self._owed, BATCH))
            self._file.write(batch)
            for _ in batch:
                self._owed.popleft()
        self._owed_acts.clear()
        self._owed_events.clear()

    def _owe(self, entry: AuditEntry, error: OSError) -> None:
        self.trouble = str(error)
        self._owed.append(entry)
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
        told = (act.what, act.by, act.session, act.state, act.text, act.detail, act.receipt)
        detail = json.dumps(dict(zip(TOLD, told, strict=True)), ensure_ascii=False)
        entry = AuditEntry(now, ACT_EVENT, act.id, detail, (act.id, *told, now, now))
        try:
            self._settle()
            self._file.write([entry])
        except OSError as error:
            if must:
                self.trouble = str(error)
                raise
            self._owe(entry, error)
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
        rows = self._file.ask(f'{ACT} WHERE id = ?', (act_id,))
        return Act(*rows[0]) if rows else None

    def unfinished(self) -> list[Act]:
        """Acts without an end, oldest first."""
        rows = self._file.ask(f'{ACT} WHERE state IN (?, ?, ?) ORDER BY intended', OPEN_STATES)
        return [Act(*row) for row in rows]

    def recent(self, count: int) -> list[Act]:
        """Return the newest acts, newest last, at most :data:`REMEMBERED`.

        From memory: her state is told in the middle of a stop, which waits for no database.
        """
        return list(self._newest.values())[-count:]

    def note(self, now: float, kind: str, ref: str, detail: Mapping[str, Any]) -> None:
        """Write down something that happened, as soon as it can be written."""
        entry = AuditEntry(now, kind, ref, json.dumps(detail, ensure_ascii=False))
        try:
            self._settle()
            self._file.write([entry])
        except OSError as error:
            self._owe(entry, error)
            self._owed_events.add((kind, ref))

    def noted(self, kind: str, ref: str) -> bool:
        """Whether something of that kind and reference is written down already."""
        if (kind, ref) in self._owed_events:
            return True
        question = 'SELECT 1 FROM events WHERE ref = ? AND kind = ? LIMIT 1'
        return bool(self._file.ask(question, (ref, kind)))

    def close(self) -> None:
        """Close the database; what is still owed is lost with it."""
        with contextlib.suppress(OSError):
            self._settle()
        self._file.close()
