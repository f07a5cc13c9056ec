"""Puts a streamed chat completion together from its pieces."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from soul.mind.providers.base import Completion, ProviderError, ToolCall, Usage

#: Reasoning that a provider has signed and wants back as it was.
SIGNED = ('reasoning_details', 'thinking_blocks')
#: More tokens than this in one call is a server's mistake.
MOST_TOKENS = 10**9


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
    """Collects the deltas of one streamed answer.

    Fragments of a tool call belong together by their `index`; a server that sends none means
    the call it named last. Several fragments of one index in one chunk are all kept.
    """

    def __init__(self, heard: Callable[[str, str], None]) -> None:
        self._heard = heard
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._last = -1
        self._signed: dict[str, list[Any]] = {}
        self._usage = Usage()
        self.done = False

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
            self.done = True
            return
        try:
            chunk = json.loads(data)
        except json.JSONDecodeError:
            raise ProviderError(
                'the answer of the model is garbled', detail=f'not JSON: {data[:80]}'
            ) from None
        if not isinstance(chunk, dict):
            return
        if chunk.get('error'):
            raise ProviderError(
                'the model server reports an error', detail=error_text(chunk['error'])
            )
        self.used(chunk.get('usage'))
        for choice in chunk.get('choices') or ():
            if not isinstance(choice, Mapping):
                continue
            self._delta(choice.get('delta') or {})
            if choice.get('finish_reason'):
                self.done = True

    def whole(self, message: Mapping[str, Any]) -> None:
        """Take an answer that came in one piece."""
        self._delta(message)
        self.done = True

    def used(self, usage: Any) -> None:
        """Take the server's count."""
        if usage:
            self._usage = usage_from(usage)

    def _delta(self, delta: Mapping[str, Any]) -> None:
        content = delta.get('content')
        if isinstance(content, str) and content:
            self._text.append(content)
            self._heard('text', content)
        for name in SIGNED:
            if isinstance(delta.get(name), list):
                self._signed.setdefault(name, []).extend(delta[name])
        reasoning = delta.get('reasoning_content') or delta.get('reasoning')
        if isinstance(reasoning, str) and reasoning:
            self._reasoning.append(reasoning)
            self._heard('reasoning', reasoning)
        for fragment in delta.get('tool_calls') or ():
            if isinstance(fragment, Mapping):
                self._fragment(fragment)

    def _fragment(self, fragment: Mapping[str, Any]) -> None:
        function = fragment.get('function')
        function = function if isinstance(function, Mapping) else {}
        index = fragment.get('index')
        if index is None:
            index = self._last + 1 if function.get('name') else max(self._last, 0)
        self._last = index
        call = self._calls.setdefault(index, {'id': '', 'name': '', 'arguments': ''})
        arguments = function.get('arguments') or ''
        if not isinstance(arguments, str):  # some servers send the object itself
            arguments = json.dumps(arguments, ensure_ascii=False)
        call['id'] = str(fragment.get('id') or call['id'])
        call['name'] += str(function.get('name') or '')
        call['arguments'] += arguments

    def completion(self) -> Completion:
        """Return the whole answer."""
        calls = tuple(
            ToolCall(call['id'] or f'call-{index}', call['name'], call['arguments'])
            for index, call in sorted(self._calls.items())
            if call['name']
        )
        return Completion(
            ''.join(self._text), ''.join(self._reasoning), calls, self._usage, dict(self._signed)
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
