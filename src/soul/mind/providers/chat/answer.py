"""Reads OpenAI's chat completions, streamed and whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from soul.mind.messages import Reasoning
from soul.mind.providers.answer import AnswerReader, NoCompletion, block, blocks, count
from soul.mind.providers.base import Completion, Usage
from soul.mind.providers.cleaning import cleaned, text_of
from soul.mind.providers.failures import reported
from soul.mind.providers.fragments import CallFragments

#: Reasoning that a provider has signed and wants back as it was.
SIGNED = ('reasoning_details', 'thinking_blocks')
#: Why a server ends an answer at its limit of tokens.
CUT_OFF = frozenset({'length', 'max_tokens', 'model_length'})


def usage_from(plain: Any) -> Usage:
    """Read a usage block; what a server leaves out, or gets wrong, is zero."""
    plain = block(plain)
    details = block(plain.get('prompt_tokens_details'))
    read = count(plain.get('prompt_tokens'))
    # DeepSeek names what its cache served in its own way
    cached = count(details.get('cached_tokens')) or count(plain.get('prompt_cache_hit_tokens'))
    cached = min(read, cached)
    written = min(read - cached, count(details.get('cache_write_tokens')))
    return Usage(read, cached, count(plain.get('completion_tokens')), written)


class ChatAnswer(AnswerReader):
    """Collects the deltas of one answer, streamed or whole."""

    def __init__(self, heard: Callable[[str, str], None]) -> None:
        super().__init__(heard)
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls = CallFragments()
        self._signed: dict[str, list[Any]] = {}
        self._ended = False  # the server has said that it ended
        self._cut = False  # ... and that it ended at its limit of tokens

    @property
    def done(self) -> bool:
        """Whether the answer is whole; without a word of the server, whole calls are enough."""
        return self._ended or self._calls.whole

    @property
    def begun(self) -> bool:
        """Whether anything of an answer has come."""
        return bool(self._text or self._reasoning or self._calls.calls(False) or self._ended)

    def over(self) -> None:
        """Take the server's word that nothing follows."""
        self._ended = True

    def event(self, event: Mapping[str, Any]) -> None:
        """Take one event; raises ProviderError if the server reports an error in it."""
        if event.get('error'):
            raise reported(event)
        self.used(event.get('usage'))
        for choice in blocks(event.get('choices')):
            if choice.get('error'):
                raise reported(choice)
            self._delta(block(choice.get('delta') or choice.get('message')))
            self._finished(choice.get('finish_reason'))

    def whole(self, document: Any) -> None:
        """Take an answer that came in one piece.

        Raises
        ------
        NoCompletion
            If it is none.
        ProviderError
            If the server reports an error in it.
        """
        choices = blocks(block(document).get('choices'))
        if not choices or not isinstance(choices[0].get('message'), Mapping):
            raise NoCompletion
        if choices[0].get('error'):
            raise reported(choices[0])
        self.used(document.get('usage'))
        self._delta(choices[0]['message'], alone=True)
        self._finished(choices[0].get('finish_reason'))
        self._ended = True

    def used(self, usage: Any) -> None:
        """Take the server's count."""
        if usage:
            self.usage = usage_from(usage)

    def _finished(self, reason: Any) -> None:
        if reason:
            self._ended = True
            self._cut = self._cut or reason in CUT_OFF

    def _delta(self, delta: Mapping[str, Any], alone: bool = False) -> None:
        said, thought = text_of(delta.get('content'))
        if said:
            self._text.append(said)
            self.heard('text', said)
        for name in SIGNED:
            if isinstance(delta.get(name), list):
                self._signed.setdefault(name, []).extend(delta[name])
        reasoning, _ = text_of(delta.get('reasoning_content') or delta.get('reasoning'))
        if reasoning or thought:
            self._reasoning.append(reasoning + thought)
            self.heard('reasoning', reasoning + thought)
        for fragment in blocks(delta.get('tool_calls')):
            if said := self._calls.add(fragment, alone):
                self.heard('call', said)

    def completion(self) -> Completion:
        """Return the whole answer, cleaned; it may be empty."""
        thoughts = (Reasoning(sealed=dict(self._signed)),) if self._signed else ()
        return cleaned(
            Completion(
                ''.join(self._text),
                ''.join(self._reasoning),
                self._calls.calls(self._cut),
                self.usage,
                thoughts,
            )
        )
