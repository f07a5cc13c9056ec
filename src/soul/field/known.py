"""Which messages have come to the door: a repetition is recognised, and a part of another one."""

from __future__ import annotations

from collections.abc import Mapping

from soul.core.bounded import BoundedDict
from soul.field.door_admission import check_same, fingerprint
from soul.signals import Message

#: So many messages are remembered.
KNOWN_LIMIT = 5000


class KnownMessages:
    """Ids of messages, each with its sender and a fingerprint of its text.

    Parameters
    ----------
    memory
        What :meth:`memory` has returned; in an old one there are only the senders.
    """

    def __init__(self, memory: Mapping[str, str | tuple[str, int]]) -> None:
        #: -1: the text is not known any more
        self._known: BoundedDict[str, tuple[str, int]] = BoundedDict(KNOWN_LIMIT)
        self._parts: BoundedDict[str, str] = BoundedDict(KNOWN_LIMIT)
        for message_id, known in memory.items():
            self._known[message_id] = (known, -1) if isinstance(known, str) else known

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._known

    def note(self, message: Message, part_of: str = '') -> None:
        """A message has come, and has perhaps become a part of another one.

        Of one that has parts, what came first is remembered: that is what would be repeated.
        """
        if message.id not in self._known:
            self._known[message.id] = (message.sender, fingerprint(message.text))
        if part_of:
            self._parts[message.id] = part_of

    def check(self, message: Message) -> None:
        """See whether a message whose id is known is that one.

        Raises
        ------
        Refused
            If it is another one.
        """
        check_same(message, *self._known[message.id])

    def whole(self, message_id: str) -> str:
        """Return the id of the message that another one has become a part of, or its own."""
        return self._parts.get(message_id, message_id)

    def memory(self) -> dict[str, tuple[str, int] | str]:
        """Return what must survive; parts are only of interest while somebody speaks."""
        return dict(self._known)
