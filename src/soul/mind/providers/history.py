"""Histories of conversations, written as a protocol wants them; each message once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from soul.core.bounded import BoundedDict
from soul.mind.messages import AssistantMessage, Message, Origin, Reasoning, shared
from soul.mind.providers.base import Purpose, Request
from soul.mind.providers.demands import Conformer, Demands

#: So many conversations are kept as they were written last.
AT_HAND = 8
#: Stands for a picture that a model cannot see.
UNSEEN = '(a picture that this model cannot see)'

W = TypeVar('W')


class _Written(Generic[W]):
    """One conversation: what was in the request before is not written again."""

    def __init__(self, demands: Demands, write: Callable[[Message], W]) -> None:
        self._conformer = Conformer(demands)
        self._write = write
        self._messages: list[Message] = []
        self._written: list[W] = []

    def of(self, messages: Sequence[Message]) -> tuple[list[Message], list[W]]:
        conforming = self._conformer.conform(messages)
        same = shared(conforming, self._messages)
        written = self._written[:same] + [self._write(m) for m in conforming[same:]]
        self._messages, self._written = conforming, written
        return conforming, written


class Histories(Generic[W]):
    """All conversations of a client.

    Parameters
    ----------
    write
        Writes one message; what it returns is never changed.
    """

    def __init__(self, demands: Demands, write: Callable[[Message], W]) -> None:
        self._demands = demands
        self._write = write
        self._kept: BoundedDict[str, _Written[W]] = BoundedDict(AT_HAND)

    def of(self, request: Request) -> tuple[list[Message], list[W]]:
        """Return the messages of a request as they are sent, and what was written of each."""
        if request.purpose in (Purpose.SUMMARY, Purpose.DREAM):  # they stand for themselves
            return _Written(self._demands, self._write).of(request.messages)
        kept = self._kept.get(request.conversation)
        if kept is None:
            kept = self._kept[request.conversation] = _Written(self._demands, self._write)
        self._kept.move_to_end(request.conversation)
        return kept.of(request.messages)


def thoughts_at(message: AssistantMessage, place: int, reader: Origin) -> list[Reasoning]:
    """Return the thoughts at a place of a message that a model wants back.

    Those of which it was not written down who thought them are anybody's of the same protocol.
    """
    whose = (reader, Origin(reader.protocol))
    return [t for t in message.thoughts if t.before == place and t.origin in whose]
