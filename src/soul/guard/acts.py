"""Outward acts: intent written, act, receipt written; at most once, and never in doubt unsaid."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Iterable
from typing import Any

from soul.guard.audit import Audit
from soul.signals import Act, ActState

#: What she is told about an act that a crash has left without a receipt.
UNCERTAIN = 'it was under way when something broke; it may have happened'


class Acts:
    """All acts and how far they got."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self._open: dict[str, Act] = {}

    def recover(self, now: float) -> Iterable[Act]:
        """After a restart: whatever has no receipt is uncertain, and is not repeated."""
        for act in self._audit.unfinished():
            yield self._put(
                dataclasses.replace(act, state=ActState.UNCERTAIN, detail=UNCERTAIN), now
            )

    def begin(self, what: str, by: str, session: str, text: str, now: float) -> Act:
        """Write an intent down."""
        act = Act(
            id=uuid.uuid4().hex,
            what=what,
            by=by,
            session=session,
            text=text,
            state=ActState.INTENDED,
        )
        return self._put(act, now)

    def move(self, act_id: str, state: str, now: float, **changes: Any) -> Act | None:
        """Move an open act on; None if it is not open."""
        act = self._open.get(act_id)
        if act is None:
            return None
        return self._put(dataclasses.replace(act, state=state, **changes), now)

    def refuse(self, what: str, by: str, session: str, text: str, why: str, now: float) -> Act:
        """Write down an act that was not allowed."""
        act = self.begin(what, by, session, text, now)
        return self._put(dataclasses.replace(act, state=ActState.DENIED, detail=why), now)

    def get(self, act_id: str) -> Act | None:
        """Find an act that is still open."""
        return self._open.get(act_id)

    @property
    def open(self) -> list[Act]:
        """Acts without an end."""
        return list(self._open.values())

    def _put(self, act: Act, now: float) -> Act:
        act = dataclasses.replace(act, stamp=now)
        self._audit.put(act, now)
        if act.state in (ActState.INTENDED, ActState.PENDING, ActState.EXECUTING):
            self._open[act.id] = act
        else:
            self._open.pop(act.id, None)
        return act
