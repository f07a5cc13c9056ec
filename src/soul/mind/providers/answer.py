"""An answer that is being read: what all protocols have in common."""

from __future__ import annotations

import abc
import dataclasses
import json
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from soul.mind.messages import Reasoning, ToolCall
from soul.mind.providers.base import Completion, Fault, ProviderError, Usage
from soul.mind.providers.cleaning import cleaned
from soul.mind.providers.fragments import is_object

#: More tokens than this in one call is a server's mistake.
MOST_TOKENS = 10**9


def count(value: Any) -> int:
    """Return a number of tokens; what cannot be one is zero."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    return int(value) if 0 <= value <= MOST_TOKENS else 0  # NaN is in no range


def block(value: Any) -> Mapping[str, Any]:
    """Return an object of a server; what is none is empty."""
    return value if isinstance(value, Mapping) else {}


def blocks(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a server's list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


class NoCompletion(ValueError):
    """A document is no answer of this protocol."""


class AnswerReader(abc.ABC):
    """Collects the events of one answer, or takes it as a whole.

    Parameters
    ----------
    heard
        Called with (kind, text) for each piece; kind is text, reasoning or call.

    Attributes
    ----------
    usage
        What the server has counted so far.
    """

    def __init__(self, heard: Callable[[str, str], None]) -> None:
        self.heard = heard
        self.usage = Usage()

    @property
    @abc.abstractmethod
    def done(self) -> bool:
        """Whether the answer is whole; without a word of the server, whole calls are enough."""

    @property
    @abc.abstractmethod
    def begun(self) -> bool:
        """Whether anything of an answer has come."""

    def data(self, data: str) -> None:
        """Take the data of one event.

        Raises
        ------
        ProviderError
            If it is garbled, or the server reports an error in it.
        """
        if data.strip() == '[DONE]':
            self.over()
            return
        if not data.strip():
            return
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            raise ProviderError(
                'the answer of the model is garbled', detail=f'not JSON: {data[:80]}', begun=True
            ) from None
        if isinstance(event, Mapping):
            self.event(event)

    def over(self) -> None:
        """Take the server's word that nothing follows; most say it otherwise."""
        return

    @abc.abstractmethod
    def event(self, event: Mapping[str, Any]) -> None:
        """Take one event; raises ProviderError if the server reports an error in it."""

    @abc.abstractmethod
    def whole(self, document: Any) -> None:
        """Take an answer that came in one piece.

        Raises
        ------
        NoCompletion
            If it is none.
        ProviderError
            If the server reports an error in it.
        """

    @abc.abstractmethod
    def completion(self) -> Completion:
        """Return the whole answer, cleaned; it may be empty."""


@dataclasses.dataclass
class Block:
    """One part of an answer: a text, a thought or a call."""

    kind: str
    text: str = ''  # of a call: its arguments
    id: str = ''
    name: str = ''
    sealed: dict[str, Any] = dataclasses.field(default_factory=dict)
    ended: bool = False


class BlockAnswer(AnswerReader):
    """An answer whose parts the server numbers.

    Attributes
    ----------
    between
        Stands between two texts.
    """

    between = ''

    def __init__(self, heard: Callable[[str, str], None]) -> None:
        super().__init__(heard)
        self.parts: list[Block] = []  # in the order in which they began
        self._of: dict[Hashable, Block] = {}  # by what the server calls them
        self.ended = False  # the server has said that it ended
        self.cut = False  # ... and that it ended at its limit of tokens
        self.refused = ''  # ... and that the model will not answer, and why

    @property
    def done(self) -> bool:
        """Whether the answer is whole; without a word of the server, whole calls are enough."""
        calls = [part for part in self.parts if part.kind == 'call']
        return self.ended or (bool(calls) and all(is_object(part.text) for part in calls))

    @property
    def begun(self) -> bool:
        """Whether anything of an answer has come."""
        return self.ended or bool(self.parts)

    def begin(self, key: Hashable, kind: str) -> Block:
        """Begin a part; what is said of this key from now on belongs to it."""
        part = Block(kind)
        self.parts.append(part)
        self._of[key] = part
        return part

    def part(self, key: Hashable, kind: str) -> Block:
        """Return the part of a key; it begins if there is none of this kind."""
        part = self._of.get(key)
        return part if part is not None and part.kind == kind else self.begin(key, kind)

    def also(self, key: Hashable, part: Block) -> None:
        """Let a part be known by a further key."""
        self._of[key] = part

    def known(self, key: Hashable) -> Block | None:
        """Return the part of a key; None: it has not begun."""
        return self._of.get(key)

    def more(self, part: Block, text: Any) -> None:
        """Add text to a part."""
        if isinstance(text, str) and text:
            part.text += text
            self.heard('reasoning' if part.kind == 'thought' else part.kind, text)

    def completion(self) -> Completion:
        """Return the whole answer, cleaned; it may be empty.

        Raises
        ------
        ProviderError
            If the model will not answer.
        """
        said: list[str] = []
        thought: list[str] = []
        calls: list[ToolCall] = []
        thoughts: list[Reasoning] = []
        for part in self.parts:
            if part.kind == 'text' and part.text:
                said.append(part.text)
            elif part.kind == 'call' and part.name:
                cut = self.cut and not is_object(part.text)
                call_id = part.id or f'call-{len(calls)}'
                calls.append(ToolCall(call_id, part.name, part.text, cut))
            elif part.kind == 'thought':
                thought += [part.text] if part.text else []
                if part.sealed:
                    before = 1 + len(calls) if said or calls else 0
                    thoughts.append(Reasoning(part.text, part.sealed, before=before))
        if self.refused and not said and not calls:
            raise ProviderError(
                'the model will not answer this',
                detail=self.refused,
                usage=self.usage,
                begun=True,
                fault=Fault.MODEL,
            )
        return cleaned(
            Completion(
                self.between.join(said),
                '\n'.join(thought),
                tuple(calls),
                self.usage,
                tuple(thoughts),
            )
        )
