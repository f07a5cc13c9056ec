"""Puts a streamed chat completion together from its pieces."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from soul.mind.providers.base import Completion, ProviderError, Usage
from soul.mind.providers.cleaning import cleaned, text_of
from soul.mind.providers.fragments import CallFragments

#: Reasoning that a provider has signed and wants back as it was.
SIGNED = ('reasoning_details', 'thinking_blocks')
#: More tokens than this in one call is a server's mistake.
MOST_TOKENS = 10**9
#: Why a server ends an answer at its limit of tokens.
CUT_OFF = frozenset({'length', 'max_tokens', 'model_length'})
#: What servers say of a request that is longer than the model can read.
TOO_LONG = (
    'context', 'too long', 'maximum length', 'too large', 'token limit', 'too many tokens',
    'n_ctx', 'num_ctx', 'n_keep',
)  # fmt: skip


def usage_from(plain: Any) -> Usage:
    """Read a usage block; what a server leaves out, or gets wrong, is zero."""
    plain = plain if isinstance(plain, Mapping) else {}
    details = plain.get('prompt_tokens_details')
    details = details if isinstance(details, Mapping) else {}
    read = _count(plain.get('prompt_tokens'))
    cached = min(read, _count(details.get('cached_tokens')))
    return Usage(read, cached, _count(plain.get('completion_tokens')))


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    return int(value) if 0 <= value <= MOST_TOKENS else 0  # NaN is in no range


class Assembler:
    """Collects the deltas of one answer, streamed or whole.

    Parameters
    ----------
    heard
        Called with (kind, text) for each piece; kind is text, reasoning or call.
    """

    def __init__(self, heard: Callable[[str, str], None]) -> None:
        self._heard = heard
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls = CallFragments()
        self._signed: dict[str, list[Any]] = {}
        self._ended = False  # the server has said that it ended
        self._cut = False  # ... and that it ended at its limit of tokens
        self.usage = Usage()

    @property
    def done(self) -> bool:
        """Whether the answer is whole; without a word of the server, whole calls are enough."""
        return self._ended or self._calls.whole

    @property
    def begun(self) -> bool:
        """Whether anything of an answer has come."""
        return bool(self._text or self._reasoning or self._calls.calls(False) or self._ended)

    def line(self, line: str) -> None:
        """Take one line of the event stream.

        Raises
        ------
        ProviderError
            If the server reports an error inside the stream.
        """
        if not line.startswith('data:'):
            return
        data = line[5:].strip()
        if data == '[DONE]':
            self._ended = True
            return
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            raise ProviderError(
                'the answer of the model is garbled', detail=f'not JSON: {data[:80]}', begun=True
            ) from None
        if not isinstance(chunk, dict):
            return
        if chunk.get('error'):
            said = error_text(chunk['error'])
            raise ProviderError(
                'the model server reports an error', detail=said, too_long=says_too_long(said)
            )
        self.used(chunk.get('usage'))
        choices = chunk.get('choices')
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, Mapping):
                continue
            delta = choice.get('delta')
            self._delta(delta if isinstance(delta, Mapping) else {})
            self._finished(choice.get('finish_reason'))

    def whole(self, message: Mapping[str, Any], reason: Any = None) -> None:
        """Take an answer that came in one piece, and why the server ended it."""
        self._delta(message, alone=True)
        self._finished(reason)
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
            self._heard('text', said)
        for name in SIGNED:
            if isinstance(delta.get(name), list):
                self._signed.setdefault(name, []).extend(delta[name])
        reasoning, _ = text_of(delta.get('reasoning_content') or delta.get('reasoning'))
        if reasoning or thought:
            self._reasoning.append(reasoning + thought)
            self._heard('reasoning', reasoning + thought)
        fragments = delta.get('tool_calls')
        for fragment in fragments if isinstance(fragments, list) else ():
            if isinstance(fragment, Mapping):
                said = self._calls.add(fragment, alone)
                if said:
                    self._heard('call', said)

    def completion(self) -> Completion:
        """Return the whole answer, cleaned; it may be empty."""
        return cleaned(
            Completion(
                ''.join(self._text),
                ''.join(self._reasoning),
                self._calls.calls(self._cut),
                self.usage,
                dict(self._signed),
            )
        )


def error_text(error: Any) -> str:
    """Read an error block of any form, also one that is still JSON."""
    if isinstance(error, str):
        try:
            error = json.loads(error)
        except ValueError:
            return ' '.join(error.split())[:300]
    if isinstance(error, Mapping):
        inner = error.get('error')
        if inner:
            return error_text(inner)
        return str(error.get('message') or error)[:300]
    return str(error)[:300]


def says_too_long(said: str) -> bool:
    """Whether an error of a server is about a request longer than the model can read."""
    return any(word in said.lower() for word in TOO_LONG)
