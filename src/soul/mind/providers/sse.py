"""Puts a streamed chat completion together from its pieces."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from soul.mind.providers.base import Completion, ProviderError, ToolCall, Usage

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
            raise ProviderError(f'the stream is not JSON here: {data[:80]}') from None
        if not isinstance(chunk, dict):
            return
        if chunk.get('error'):
            raise ProviderError(f'the server reports: {error_text(chunk["error"])}')
        if chunk.get('usage'):
            self._usage = usage_from(chunk['usage'])
        for choice in chunk.get('choices') or ():
            self._delta(choice.get('delta') or {})
            if choice.get('finish_reason'):
                self.done = True

    def _delta(self, delta: Mapping[str, Any]) -> None:
        if delta.get('content'):
            self._text.append(delta['content'])
            self._heard('text', delta['content'])
        reasoning = delta.get('reasoning_content') or delta.get('reasoning')
        if isinstance(reasoning, str) and reasoning:
            self._reasoning.append(reasoning)
            self._heard('reasoning', reasoning)
        for fragment in delta.get('tool_calls') or ():
            self._fragment(fragment)

    def _fragment(self, fragment: Mapping[str, Any]) -> None:
        function = fragment.get('function') or {}
        index = fragment.get('index')
        if index is None:
            index = self._last + 1 if function.get('name') else max(self._last, 0)
        self._last = index
        call = self._calls.setdefault(index, {'id': '', 'name': '', 'arguments': ''})
        call['id'] = fragment.get('id') or call['id']
        call['name'] += function.get('name') or ''
        call['arguments'] += function.get('arguments') or ''

    def completion(self) -> Completion:
        """Return the whole answer."""
        calls = tuple(
            ToolCall(call['id'] or f'call-{index}', call['name'], call['arguments'])
            for index, call in sorted(self._calls.items())
            if call['name']
        )
        return Completion(''.join(self._text), ''.join(self._reasoning), calls, self._usage)


def error_text(error: Any) -> str:
    """Read an error block of any form."""
    if isinstance(error, Mapping):
        return str(error.get('message') or error)[:300]
    return str(error)[:300]
