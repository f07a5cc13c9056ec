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

    def known(self, request_id: str) -> Act | None:
        """Find the act that a request has led to; None: none, or the request has no id."""
        if not request_id:
            return None
        return self._open.get(request_id) or self._audit.get(request_id)

    def begin(
        self, what: str, by: str, session: str, text: str, now: float, request_id: str = ''
    ) -> Act:
        """Write an intent down.

        Parameters
        ----------
        request_id
            The act is known by it, also over a restart, so that a request that comes again does
            nothing again.

        Raises
        ------
        OSError
            If it cannot be written: then nothing may be done.
        """
        act = _new(what, by, session, text, ActState.INTENDED)
        return self._put(dataclasses.replace(act, id=request_id or act.id), now)

    def move(self, act_id: str, state: str, now: float, **changes: Any) -> Act | None:
        """Move an open act on; None if it is not open."""
        act = self._open.get(act_id)
        if act is None:
            return None
        return self._put(dataclasses.replace(act, state=state, **changes), now)

    def execute(self, act: Act, now: float) -> Act:
        """Move an act that has just begun on to being executed."""
        return self._put(dataclasses.replace(act, state=ActState.EXECUTING), now)

    def refuse(self, what: str, by: str, session: str, text: str, why: str, now: float) -> Act:
        """Write down an act that was not allowed."""
        act = _new(what, by, session, text, ActState.DENIED)
        return self._put(dataclasses.replace(act, detail=why), now)

    def get(self, act_id: str) -> Act | None:
        """Find an act that is still open."""
        return self._open.get(act_id)

    @property
    def open(self) -> list[Act]:
        """Acts without an end."""
        return list(self._open.values())

    def _put(self, act: Act, now: float) -> Act:
        act = dataclasses.replace(act, stamp=now)
        if act.state in (ActState.INTENDED, ActState.PENDING):
            self._audit.put(act, now)
            self._open[act.id] = act
        elif act.state == ActState.EXECUTING:
            try:
                self._audit.put(act, now)
            except OSError as error:  # so it is not executed, and that is its end
                self._end(dataclasses.replace(act, state=ActState.FAILED, detail=str(error)), now)
                raise
            self._open[act.id] = act
        else:
            self._end(act, now)
        return act

    def _end(self, act: Act, now: float) -> None:
        """What has happened has happened, whether it can be written down now or later."""
        self._audit.put(act, now, must=False)
        self._open.pop(act.id, None)


def _new(what: str, by: str, session: str, text: str, state: str) -> Act:
    return Act(id=uuid.uuid4().hex, what=what, by=by, session=session, text=text, state=state)
