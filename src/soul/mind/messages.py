"""What a conversation with a model consists of, in no protocol's form.

Each adapter in :mod:`soul.mind.providers` writes it as its protocol wants it. A message never
changes: what is sent again is the same object, so that nothing is brought into form twice.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True)
class Origin:
    """Who has written something.

    Attributes
    ----------
    protocol
        As in :class:`~soul.mind.providers.model_entry.ModelEntry`; empty: not known.
    provider, model
        As there; empty: not known, or any.
    """

    protocol: str = ''
    provider: str = ''
    model: str = ''


@dataclass(frozen=True)
class Reasoning:
    """A piece of a model's reasoning.

    Attributes
    ----------
    text
        What can be read of it.
    sealed
        What its server wants back word for word, in its own form: signed, encrypted or structured.
        Empty: nothing; the text itself may be wanted back within the same waking.
    origin
        To whom it means something; it is sent to nobody else.
    before
        Where it stands: 0 before the text of its message, n before the nth call, one more behind
        everything.
    over
        Its waking is over: without a seal few servers want it back from then on.
    """

    text: str = ''
    sealed: Mapping[str, Any] = field(default_factory=dict)
    origin: Origin = Origin()
    before: int = 0
    over: bool = False


@dataclass(frozen=True)
class ToolCall:
    """A tool the model wants to use; `arguments` is its own JSON, not checked yet."""

    id: str
    name: str
    arguments: str
    cut: bool = False  # the answer ended at a limit before the arguments were whole


@dataclass(frozen=True)
class ShownPicture:
    """A picture: `kind` is jpeg, png, gif or webp, `data` its file in base64."""

    kind: str
    data: str


@dataclass(frozen=True)
class SystemMessage:
    """Who she is and what she can do; stands first."""

    role: ClassVar[str] = 'system'
    text: str


@dataclass(frozen=True)
class UserMessage:
    """What she reads: a moment, a message, an account of earlier times."""

    role: ClassVar[str] = 'user'
    text: str
    pictures: Sequence[ShownPicture] = ()


@dataclass(frozen=True)
class AssistantMessage:
    """What she thought, said and wanted to do."""

    role: ClassVar[str] = 'assistant'
    text: str = ''
    calls: Sequence[ToolCall] = ()
    thoughts: Sequence[Reasoning] = ()


@dataclass(frozen=True)
class ToolResult:
    """What came of a call.

    Attributes
    ----------
    name
        Of the tool; where it is missing, that of the call is meant.
    caption
        What is said of the pictures where they cannot stand in a result.
    """

    role: ClassVar[str] = 'tool'
    call_id: str
    text: str
    pictures: Sequence[ShownPicture] = ()
    caption: str = ''
    name: str = field(default='', compare=False)


Message = SystemMessage | UserMessage | AssistantMessage | ToolResult


def shared(now: list[Message], before: list[Message]) -> int:
    """Count the messages with which both begin; mostly that is all but the last ones."""
    most = min(len(now), len(before))
    for length in range(most, max(most - 4, 0), -1):
        if now[:length] == before[:length]:
            return length
    same = map(operator.is_, now, before)
    return next((n for n, alike in enumerate(same) if not alike), most)
