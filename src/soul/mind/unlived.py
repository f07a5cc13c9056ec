"""How turns are told that nobody has lived to the end: after a crash, or because they pass."""

from __future__ import annotations

from collections.abc import Mapping

from soul.mind.turn_ledger import Orphan
from soul.signals import Outcome, Turn, View


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


def passed_by(
    view: View, known: Mapping[str, bool], epoch: int, sequence: int, now: float
) -> Turn:
    """Return the turn of a wake that passes without thinking.

    Parameters
    ----------
    known
        Its messages, which were dealt with before, and whether they were answered.
    epoch, sequence
        Of the mind's turns.
    now
        s of the node's clock.
    """
    return Turn(
        stamp=now,
        epoch=epoch,
        sequence=sequence,
        wake=view.wake,
        causes=tuple(view.causes),
        messages_seen=tuple(known),
        messages_answered=tuple(m for m, answered in known.items() if answered),
        declined=True,
        outcome=Outcome.SLEPT,
        detail='it is being dealt with already',
    )
