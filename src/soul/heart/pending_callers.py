"""Who wants her: messages at the door and nudges, held while she cannot be called."""

from __future__ import annotations

from collections.abc import Iterable

from soul.heart.memory import CallersMemory, CarriedNudges, Nudge
from soul.signals import Knock, WakeCause, WakeId, newer

#: Ids of messages remembered so that one that knocks again is not felt again.
KNOWN = 256
#: So many nudges wait at most.
MOST_NUDGES = 20
#: Name of her own body where somebody nudges her.
BODY = 'body'
#: Longest reason of a nudge, characters.
LONGEST_REASON = 1000


class PendingCallers:
    """Knocks and nudges she has not woken for yet.

    Parameters
    ----------
    memory
        What :meth:`memory` returned in an earlier life. Knocks are not in it: the field knocks
        again until she wakes. A nudge was accepted, so it must not be lost.
    """

    def __init__(self, memory: CallersMemory | None = None) -> None:
        memory = memory or CallersMemory()
        self._knocks: dict[str, str] = {}  # message id -> sender
        #: Reason -> whether her own body has it.
        self._nudges: dict[str, bool] = {}
        for nudge in memory.nudges[:MOST_NUDGES]:
            # before it mattered who nudges there was only the reason
            reason, by_body = (nudge, False) if isinstance(nudge, str) else nudge
            self._nudges[reason[:LONGEST_REASON]] = by_body
        #: Nudges that a wake has taken along whose turn has not ended yet: wake -> nudges.
        self._carried: dict[WakeId, dict[str, bool]] = {
            WakeId(epoch, sequence): {
                reason[:LONGEST_REASON]: by_body for reason, by_body in nudges
            }
            for epoch, sequence, nudges in memory.carried[-MOST_NUDGES:]
        }
        self._taken: dict[str, bool] = {}
        self._known: dict[str, None] = dict.fromkeys(memory.known[-KNOWN:])

    def memory(self) -> CallersMemory:
        """Return what must survive."""
        return CallersMemory(
            _listed(self._nudges),
            tuple(
                CarriedNudges(wake.epoch, wake.sequence, _listed(nudges))
                for wake, nudges in self._carried.items()
            ),
            tuple(self._known),
        )

    def knock(self, knock: Knock) -> bool:
        """Somebody is at the door; True if this message has not knocked before."""
        self._knocks[knock.message_id] = knock.sender
        while len(self._knocks) > KNOWN:  # the field lets it knock again
            del self._knocks[next(iter(self._knocks))]
        new = knock.message_id not in self._known
        self._known[knock.message_id] = None
        while len(self._known) > KNOWN:
            del self._known[next(iter(self._known))]
        return new

    def refuse(self, reason: str) -> str:
        """Say why a nudge cannot be taken; empty if it can."""
        if not reason.strip():
            return 'a nudge needs a reason'
        if len(reason) > LONGEST_REASON:
            return f'the reason has {len(reason)} characters, allowed are {LONGEST_REASON}'
        if len(self._nudges) >= MOST_NUDGES and reason not in self._nudges:
            return f'{len(self._nudges)} nudges wait already'
        return ''

    def nudge(self, reason: str, by: str = '') -> bool:
        """Somebody nudges her; True if nobody has for that reason yet.

        Parameters
        ----------
        by
            Who; her own body is `body`, or a name below it (body/serial).
        """
        new = reason not in self._nudges
        if new:
            self._nudges[reason] = by.split('/')[0] == BODY
        return new

    def seen(self, message_ids: Iterable[str]) -> None:
        """She has dealt with these messages: they need not wake her any more."""
        for message_id in message_ids:
            self._knocks.pop(message_id, None)

    @property
    def waiting(self) -> bool:
        """Whether somebody's message or nudge has not led to a wake yet."""
        return bool(self._knocks or self._nudges)

    def take(self) -> tuple[list[str], list[str], list[str]]:
        """Let all in: causes, reasons and message ids for one wake."""
        causes = [WakeCause.MESSAGE] if self._knocks else []
        nudged = set(self._nudges.values())
        causes += [WakeCause.SENSE] if True in nudged else []
        causes += [WakeCause.OPERATOR] if False in nudged else []
        # who is at the door is told by the messages themselves, in her language
        reasons = list(self._nudges)
        message_ids = list(self._knocks)
        self._taken = self._nudges
        self._knocks, self._nudges = {}, {}
        return causes, reasons, message_ids

    def carry(self, wake: WakeId) -> None:
        """Remember which wake has taken the nudges along, until its turn has ended."""
        if self._taken:
            self._carried[wake] = {**self._carried.get(wake, {}), **self._taken}
            self._taken = {}
        while len(self._carried) > MOST_NUDGES:
            del self._carried[next(iter(self._carried))]

    def lived(self, wake: WakeId, slept: bool) -> None:
        """Hear that the turn of a wake has ended.

        Parameters
        ----------
        slept
            Whether she thought about it and went to its end. If not, what she was nudged for
            waits again: it was accepted, and nobody has dealt with it.
        """
        nudges = self._carried.pop(wake, {})
        for known in [known for known in self._carried if newer(wake, known)]:
            del self._carried[known]
        if not slept:
            self._nudges = {**nudges, **self._nudges}


def _listed(nudges: dict[str, bool]) -> tuple[Nudge, ...]:
    return tuple(Nudge(reason, by_body) for reason, by_body in nudges.items())
