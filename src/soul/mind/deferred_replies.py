"""Tells who waits that the answer comes later, and why; once for each message."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from soul.core.bounded import BoundedDict
from soul.signals import Message, Reply

#: So many messages are remembered as told.
REMEMBERED = 1000
#: ... and so many over a restart.
KEPT = 200


class DeferredReplies:
    """Replies that are not final: the messages stay at the door.

    Parameters
    ----------
    told
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(
        self,
        emit: Callable[[Reply], None],
        now: Callable[[], float],
        told: Iterable[str] = (),
    ) -> None:
        self._emit = emit
        self._now = now
        self._told: BoundedDict[str, None] = BoundedDict(
            REMEMBERED, ((message_id, None) for message_id in told)
        )

    def memory(self) -> list[str]:
        """What must survive: the newest messages whose senders were told."""
        return list(self._told)[-KEPT:]

    def tell(self, messages: Iterable[Message], why: str) -> None:
        """Tell the senders of messages that were not told yet `why`."""
        for message in messages:
            if message.id in self._told:
                continue
            self._told[message.id] = None
            self._emit(
                Reply(
                    stamp=self._now(),
                    id=f'later-{message.id}',
                    in_reply_to=message.id,
                    session=message.session,
                    text=why,
                    is_final=False,
                )
            )
