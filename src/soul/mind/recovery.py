"""How a turn ends that the death of the process has left open."""

from __future__ import annotations

from soul.mind.turn_ledger import Orphan
from soul.signals import Outcome, Turn


def closed(orphan: Orphan, epoch: int, now: float) -> Turn:
    """Return the turn as it is told: failed, with what it used and whom it answered.

    Parameters
    ----------
    epoch
        Of the mind's turns.
    now
        s of the node's clock.
    """
    answered = tuple(r.in_reply_to for r in orphan.replies if r.in_reply_to)
    return Turn(
        stamp=now,
        epoch=epoch,
        sequence=orphan.sequence,
        wake=orphan.wake,
        session=orphan.session,
        messages_seen=answered,
        messages_answered=answered,
        talk=bool(orphan.replies),
        steps=orphan.steps,
        tokens_in=orphan.usage.tokens_in,
        tokens_cached=orphan.usage.cached,
        tokens_out=orphan.usage.tokens_out,
        cost=orphan.cost,
        outcome=Outcome.FAILED,
        detail='the process ended in mid-turn',
    )
