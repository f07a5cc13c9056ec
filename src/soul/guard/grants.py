"""Grants: acts that somebody else executes, allowed once and for a while."""

from __future__ import annotations

import math

from soul.core.output import Outputs
from soul.guard.acts import Acts
from soul.guard.body_acts import BodyActs
from soul.signals import (
    ActState,
    AuthorizeAnswer,
    AuthorizeRequest,
    ReceiptAnswer,
    ReceiptRequest,
)

#: A grant without a receipt within this is in doubt, s.
GRANT_SECONDS = 120.0
ENDS = (ActState.DONE, ActState.FAILED, ActState.UNCERTAIN)


class Grants:
    """Open grants by act id."""

    def __init__(self, acts: Acts, body: BodyActs) -> None:
        self._acts = acts
        self._body = body
        self._until: dict[str, float] = {}

    def due(self) -> float:
        """When the next grant runs out."""
        return min(self._until.values(), default=math.inf)

    def authorize(
        self, request: AuthorizeRequest, hindrance: str, now: float
    ) -> tuple[AuthorizeAnswer, Outputs]:
        """Grant one act that the asker executes itself, unless something hinders it."""
        if hindrance:
            denied = self._body.deny(
                request.what, request.by, request.session, request.summary, hindrance, now
            )
            return AuthorizeAnswer(reason=hindrance), denied
        act = self._acts.begin(request.what, request.by, request.session, request.summary, now)
        executing = self._acts.execute(act, now)
        until = self._until[act.id] = now + GRANT_SECONDS
        return AuthorizeAnswer(True, False, act.id, until), [executing]

    def receipt(self, request: ReceiptRequest, now: float) -> tuple[ReceiptAnswer, Outputs]:
        """Take the receipt for a grant; the first one counts."""
        if request.state not in ENDS:
            why = f'state is {request.state!r}, allowed is one of {", ".join(ENDS)}'
            return ReceiptAnswer(False, why), ()
        if self._until.pop(request.act_id, None) is None:
            return ReceiptAnswer(False, f'there is no open grant {request.act_id}'), ()
        return ReceiptAnswer(True), self._body.end(
            request.act_id, request.state, now, detail=request.detail, receipt=request.receipt
        )

    def expire(self, now: float) -> Outputs:
        """Let grants run out: whoever had one may have acted."""
        for act_id in [act_id for act_id, until in self._until.items() if until <= now]:
            del self._until[act_id]
            yield from self._body.end(act_id, ActState.UNCERTAIN, now, detail='no receipt came')
