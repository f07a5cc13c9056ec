"""The door: what people say is journalled, knocks until she wakes, and is never lost."""

from __future__ import annotations

import dataclasses
import math
import uuid
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from soul.core.fitting import fit
from soul.core.organ import Record
from soul.field.continuation import both, goes_on
from soul.field.door_admission import Refused, check, check_room
from soul.field.door_journal import JOURNAL, message_record
from soul.field.known import KNOWN_LIMIT, KnownMessages
from soul.field.memory import DoorMemory, WaitingMessage
from soul.field.waiting import Waiting, before_her
from soul.signals import Knock, Message, MessageMode, Reply, Wake

LONGEST_PAUSE = 60.0
#: So many replies are remembered, so that one told twice is written once.
REPLIES = 200


class Door:
    """Messages from their arrival until she has seen and perhaps answered them.

    Parameters
    ----------
    limit
        Longest text, characters.
    pause
        First pause between two knocks for the same message, s.
    """

    def __init__(
        self,
        limit: int,
        pause: float,
        memory: DoorMemory | None = None,
        past: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._limit = limit
        self._pause = pause
        self._waiting: dict[str, Waiting] = {}
        self._replies: deque[str] = deque(maxlen=REPLIES)  # ids of the newest
        self.refused = 0
        self._shown: list[Waiting] | None = None  # None: to be found anew
        self._foremost: list[str] = []
        memory = memory or DoorMemory()
        self.known = KnownMessages(memory.known)
        self._load(memory, past)

    def _load(self, memory: DoorMemory, past: Sequence[Mapping[str, Any]]) -> None:
        for waiting in memory.waiting:
            kept, _ = fit(waiting.message)
            if kept is not None:
                self._wait(kept, 0.0, waiting.seen)
        # The memory may be newer than the entries: what was said of an id before its message came
        # (anybody can publish a reply) did not mean that message.
        coming = {e['message']['id'] for e in past if e.get('kind') == 'message'}
        for entry in past:
            kind = entry.get('kind')
            if kind == 'message':
                coming.discard(entry['message']['id'])
                kept, _ = fit(Message(**entry['message']))
                if kept is not None and kept.id not in self.known:
                    self.admit(kept, 0.0, entry.get('joins', ''))
            elif kind == 'seen':
                for message_id in set(entry['ids']) - coming:
                    self._mark_seen(message_id)
            elif kind == 'reply':
                self._replies.append(entry['reply'].get('id', ''))
            if (
                kind == 'reply'
                and _is_final(entry['reply'])  # "later" is no answer
                and entry['reply']['in_reply_to'] not in coming
            ):
                self._waiting.pop(entry['reply']['in_reply_to'], None)

    def memory(self) -> DoorMemory:
        """Return what must survive beside the journal."""
        return DoorMemory(
            self.known.memory(),
            tuple(WaitingMessage(w.message, w.seen) for w in self._waiting.values()),
        )

    def _wait(self, message: Message, now: float, seen: bool = False) -> None:
        self._shown = None
        self.known.note(message)
        self._waiting[message.id] = Waiting(
            message, math.inf if seen else now, self._pause, seen=seen
        )

    # --- arriving -------------------------------------------------------------------------

    def take(
        self, message: Message, now: float, durable: bool = True, continues: str = ''
    ) -> tuple[Message, list[Record]]:
        """Take a message; once it is written down, :meth:`admit` it.

        Parameters
        ----------
        durable
            Whether somebody waits to hear that it is on the disk. Otherwise it survives the death
            of the process, but not a power cut.
        continues
            Id of a message that it goes on with; empty: of none.

        Returns
        -------
        tuple
            The message as it is taken, and what is to be written down: nothing if it was known.

        Raises
        ------
        Refused
            If it is empty, too long, has an unknown mode or the id of another message.
        """
        try:
            self._check(message)
        except Refused:
            self.refused += 1
            raise
        if message.id in self.known:
            return message, []
        message = dataclasses.replace(
            message,
            id=message.id or uuid.uuid4().hex[:12],
            sender=message.sender or 'somebody',
            mode=message.mode or MessageMode.INTERJECT,
            stamp=now,
        )
        first = self._waiting.get(self.known.whole(continues))
        joins = first.message.id if first and goes_on(first, message, self._limit) else ''
        return message, [message_record(message, durable, joins)]

    def admit(self, message: Message, now: float, joins: str = '') -> Message:
        """Let a taken message wait until she has seen it; returns it as it waits.

        Parameters
        ----------
        joins
            Id of the message that it becomes a part of; empty: it stands alone.
        """
        first = self._waiting.get(joins)
        if first is None:
            self._wait(message, now)
            return message
        self._shown = None
        self.known.note(message, joins)
        first.message = both(first.message, message)
        return first.message

    def _check(self, message: Message) -> None:
        check(message, self._limit)
        if message.id in self.known:
            self.known.check(message)
        else:
            check_room(message, [w.message for w in self._waiting.values() if not w.seen])

    # --- knocking -------------------------------------------------------------------------

    def due(self) -> float:
        """When somebody knocks next."""
        return min((w.knock_at for w in self._before_her()), default=math.inf)

    def knock(self, now: float) -> Iterable[Knock]:
        """Knock for every message before her that is due; the others when it is their turn."""
        for waiting in self._before_her():
            if waiting.knock_at <= now:
                waiting.knock_at = now + waiting.pause
                waiting.knocked = now
                waiting.pause = min(2 * waiting.pause, LONGEST_PAUSE)
                message = waiting.message
                yield Knock(now, message.id, message.sender, 0.8 if message.trusted else 0.5)

    def hurry(self, now: float) -> None:
        """Knock again now: somebody who may have missed the last knock has come."""
        for waiting in self._before_her():
            if waiting.knock_at != math.inf and now - waiting.knocked >= self._pause:
                waiting.knock_at = now
                waiting.pause = self._pause

    def woken(self, wake: Wake) -> None:
        """She wakes for these messages: they need not knock."""
        for message_id in wake.message_ids:
            waiting = self._waiting.get(message_id)
            if waiting is not None:
                waiting.knock_at = math.inf

    def turn_over(
        self, seen: Iterable[str], now: float, in_progress: Collection[str] = ()
    ) -> list[Any]:
        """A turn has ended: what she has seen rests, the others knock again.

        Not those that another conversation of hers, still in progress, is dealing with.
        """
        newly = [m for m in seen if m in self._waiting and not self._waiting[m].seen]
        for message_id in newly:
            self._mark_seen(message_id)
        for waiting in self._waiting.values():
            if waiting.message.id in in_progress:
                continue
            if not waiting.seen and waiting.knock_at == math.inf:
                waiting.knock_at = now  # its pause goes on growing: the turn came to nothing
        return [Record(JOURNAL, {'kind': 'seen', 'ids': newly}, durable=False)] if newly else []

    def _mark_seen(self, message_id: str) -> None:
        waiting = self._waiting.get(message_id)
        if waiting is not None:
            self._shown = None
            waiting.seen = True
            waiting.knock_at = math.inf
            seen = [known for known, w in self._waiting.items() if w.seen]
            for forgotten in seen[:-KNOWN_LIMIT]:
                del self._waiting[forgotten]

    def missed(self, message_ids: Iterable[str]) -> list[str]:
        """Learn from a turn which messages were answered while nobody listened here."""
        return [message_id for message_id in message_ids if message_id in self._waiting]

    def answered(self, reply: Reply) -> list[Any]:
        """She has replied; a repetition carries the same id and changes nothing."""
        if reply.id and reply.id in self._replies:
            return []
        self._replies.append(reply.id)
        record = Record(
            JOURNAL, {'kind': 'reply', 'reply': dataclasses.asdict(reply)}, durable=False
        )
        if reply.is_final:
            self._shown = None
            self._waiting.pop(reply.in_reply_to, None)
        return [record]

    def dismiss(self, message_id: str) -> None:
        """She has let go of it without an answer: it waits no longer."""
        self._shown = None
        self._waiting.pop(message_id, None)

    # --- what is before her -----------------------------------------------------------------

    def _before_her(self) -> list[Waiting]:
        """Find what she sees of all that waits, oldest first."""
        if self._shown is None:
            self._shown, self._foremost = before_her(self._waiting)
        return self._shown

    @property
    def messages(self) -> list[Message]:
        """Messages before her that she has not answered, oldest first."""
        return [waiting.message for waiting in self._before_her()]

    @property
    def foremost(self) -> list[str]:
        """Ids of those that nothing may hide: the newest of each of the people who wrote last."""
        self._before_her()
        return self._foremost

    @property
    def more(self) -> int:
        """How many messages she has not seen wait beside those before her."""
        shown = sum(not waiting.seen for waiting in self._before_her())
        return len(self.unseen) - shown

    @property
    def waiting(self) -> list[str]:
        """Ids of all messages she has not answered, oldest first."""
        return list(self._waiting)

    @property
    def unseen(self) -> list[Message]:
        """Messages no turn has dealt with yet."""
        return [w.message for w in self._waiting.values() if not w.seen]


def _is_final(reply: Mapping[str, Any]) -> bool:
    return bool(reply.get('is_final', reply.get('final', True)))  # it was `final` once
