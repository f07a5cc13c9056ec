"""What a turn did, as far as the heart feels it: only what has a receipt counts."""

from __future__ import annotations

from collections.abc import Collection

from soul.heart.config import HeartConfig
from soul.signals import Outcome, Turn, WakeCause, WakeId

TALK = 'talk'
MESSAGE = 'message'
NOVEL = 'novel'
NUDGE = 'nudge'


def done(turn: Turn, talk_by: Collection[str]) -> set[str]:
    """Return the acts of a turn: names of tools, and talk, message and novel.

    A call without a receipt, or that failed, has not happened. A turn that was closed after a
    crash lists no calls; its replies were on the disk, which is their receipt.
    """
    real = [call for call in turn.calls if call.ok and call.receipt]
    acts = {call.name for call in real}
    if any(not call.routine for call in real):
        acts.add(NOVEL)
    if turn.talk and (not turn.calls or acts.intersection(talk_by)):
        acts.add(TALK)
    if turn.messages_seen:
        acts.add(MESSAGE)
    return acts


def is_dream(turn: Turn, dream: WakeId) -> bool:
    """Whether a turn was a dream; `dream` is the newest one's wake."""
    if turn.causes:
        return set(turn.causes) == {WakeCause.DREAM}
    return turn.wake.sequence > 0 and turn.wake == dream


def was_lived(turn: Turn) -> bool:
    """Whether a turn was a waking, or failed before it became one."""
    return turn.outcome in ('', Outcome.SLEPT, Outcome.CUT) or turn.steps > 0


def was_finished(turn: Turn) -> bool:
    """Whether a turn came to its own end, so that what it leaves behind holds."""
    return turn.outcome in ('', Outcome.SLEPT, Outcome.CUT)


def effort(turn: Turn, config: HeartConfig) -> float:
    """What a waking adds to the sleep pressure (Heart and Twin).

    ``min(0.15, tokens / 2,000,000 + 0.004 x steps)``; 0.005 if it was declined. A step is a tool
    she used, and a waking is one at least.
    """
    if turn.declined:
        return config.effort_declined
    tokens = (turn.tokens_in + turn.tokens_out) / config.effort_tokens
    steps = max(1, sum(call.name != 'sleep' for call in turn.calls))
    return min(config.effort_most, tokens + config.effort_step * steps)
