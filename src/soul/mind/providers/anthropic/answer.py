"""Reads Anthropic's messages, streamed and whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from soul.mind.providers.answer import BlockAnswer, NoCompletion, block, blocks, count
from soul.mind.providers.base import Usage
from soul.mind.providers.failures import reported

_KINDS = {
    'text': 'text',
    'thinking': 'thought',
    'redacted_thinking': 'thought',
    'tool_use': 'call',
}
#: Why a server ends an answer at its limit of tokens.
CUT_OFF = frozenset({'max_tokens', 'model_context_window_exceeded'})


class AnthropicAnswer(BlockAnswer):
    """Collects the content blocks of one message."""

    def event(self, event: Mapping[str, Any]) -> None:
        """Take one event; raises ProviderError if the server reports an error in it."""
        kind = event.get('type')
        if kind == 'error' or event.get('error'):
            raise reported(event)
        number = event.get('index')
        if kind == 'message_start':
            self._used(block(event.get('message')).get('usage'))
        elif kind == 'content_block_start':
            self._begin(number, block(event.get('content_block')))
        elif kind == 'content_block_delta':
            self._delta(number, block(event.get('delta')))
        elif kind == 'message_delta':
            self._used(event.get('usage'))
            self._stopped(block(event.get('delta')))
        elif kind == 'message_stop':
            self.ended = True

    def whole(self, document: Any) -> None:
        """Take an answer that came in one piece.

        Raises
        ------
        NoCompletion
            If it is none.
        """
        message = block(document)
        if not isinstance(message.get('content'), list) or message.get('role') != 'assistant':
            raise NoCompletion
        self._used(message.get('usage'))
        for number, content in enumerate(blocks(message['content'])):
            self._begin(number, content)
        self._stopped(message)
        self.ended = True

    def _begin(self, number: Any, content: Mapping[str, Any]) -> None:
        kind = _KINDS.get(str(content.get('type')))
        if kind is None:
            return
        part = self.begin(number, kind)
        if kind == 'text':
            self.more(part, content.get('text'))
        elif kind == 'call':
            part.id, part.name = str(content.get('id') or ''), str(content.get('name') or '')
            given = content.get('input')
            if given:  # else it comes in pieces
                self.more(part, json.dumps(given, ensure_ascii=False))
        else:
            self.more(part, content.get('thinking'))
            if content.get('type') == 'redacted_thinking':
                part.sealed = {'type': 'redacted_thinking', 'data': content.get('data')}
            elif content.get('signature'):
                self._sign(number, content['signature'])

    def _delta(self, number: Any, delta: Mapping[str, Any]) -> None:
        kind = delta.get('type')
        if kind == 'text_delta':
            self.more(self.part(number, 'text'), delta.get('text'))
        elif kind == 'thinking_delta':
            self.more(self.part(number, 'thought'), delta.get('thinking'))
        elif kind == 'input_json_delta':
            self.more(self.part(number, 'call'), delta.get('partial_json'))
        elif kind == 'signature_delta':
            self._sign(number, delta.get('signature'))

    def _sign(self, number: Any, signature: Any) -> None:
        """Seal a thought: word for word what was signed."""
        part = self.part(number, 'thought')
        before = part.sealed.get('signature', '')
        signed = f'{before}{signature}' if isinstance(signature, str) else before
        part.sealed = {'type': 'thinking', 'thinking': part.text, 'signature': signed}

    def _stopped(self, message: Mapping[str, Any]) -> None:
        reason = message.get('stop_reason')
        if not reason:
            return
        self.ended = True
        self.cut = self.cut or reason in CUT_OFF
        if reason == 'refusal':
            self.refused = 'refusal'

    def _used(self, usage: Any) -> None:
        """Take the server's count; what a later one leaves out stays."""
        if not isinstance(usage, Mapping):
            return
        before = self.usage
        fresh = before.tokens_in - before.cached - before.cache_write
        fresh = count(usage.get('input_tokens')) or fresh
        cached = count(usage.get('cache_read_input_tokens')) or before.cached
        written = count(usage.get('cache_creation_input_tokens')) or before.cache_write
        out = count(usage.get('output_tokens')) or before.tokens_out
        self.usage = Usage(fresh + cached + written, cached, out, written)
