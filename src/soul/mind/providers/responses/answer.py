"""Reads OpenAI's responses, streamed and whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from soul.mind.providers.answer import Block, BlockAnswer, NoCompletion, block, blocks, count
from soul.mind.providers.base import Usage
from soul.mind.providers.failures import reported

#: Pieces of a text, of reasoning and of a call.
_TEXT = frozenset({'response.output_text.delta', 'response.refusal.delta'})
_THOUGHT = frozenset({'response.reasoning_summary_text.delta', 'response.reasoning_text.delta'})
_CALL = frozenset({'response.function_call_arguments.delta'})
_KINDS = {'message': 'text', 'reasoning': 'thought', 'function_call': 'call'}
#: What of a piece of reasoning is sent back.
_SEALED = ('type', 'id', 'summary', 'content', 'encrypted_content')


class ResponsesAnswer(BlockAnswer):
    """Collects the output items of one response."""

    between = '\n\n'

    def event(self, event: Mapping[str, Any]) -> None:
        """Take one event; raises ProviderError if the server reports an error in it."""
        kind = event.get('type')
        response = block(event.get('response'))
        if kind == 'error' or event.get('error'):
            raise reported(event.get('error') or event)
        if kind == 'response.failed':
            self._used(response)
            raise reported(response.get('error') or response)
        if kind in _TEXT:
            self.more(self._at(event, 'text'), event.get('delta'))
        elif kind in _THOUGHT:
            self.more(self._at(event, 'thought'), event.get('delta'))
        elif kind in _CALL:
            self.more(self._at(event, 'call'), event.get('delta'))
        elif kind == 'response.output_item.added':
            self._item(event.get('output_index'), block(event.get('item')), begins=True)
        elif kind == 'response.output_item.done':
            self._item(event.get('output_index'), block(event.get('item')), whole=True)
        elif kind in ('response.completed', 'response.incomplete'):
            self._ended(response)

    def whole(self, document: Any) -> None:
        """Take an answer that came in one piece.

        Raises
        ------
        NoCompletion
            If it is none.
        ProviderError
            If the server reports an error in it.
        """
        response = block(document)
        if response.get('error') and response.get('object') == 'response':
            self._used(response)
            raise reported(response['error'])
        if not isinstance(response.get('output'), list):
            raise NoCompletion
        self._ended(response)

    def _ended(self, response: Mapping[str, Any]) -> None:
        self._used(response)
        for number, item in enumerate(blocks(response.get('output'))):
            self._item(number, item, whole=True)
        self.ended = True
        why = block(response.get('incomplete_details')).get('reason')
        if response.get('status') == 'incomplete' and why != 'content_filter':
            self.cut = True
        elif why:
            self.refused = str(why)

    def _at(self, event: Mapping[str, Any], kind: str) -> Block:
        """Return the part that a piece belongs to: by its id, else by its number."""
        known = self.known(event['item_id']) if _named(event.get('item_id')) else None
        if known is not None and known.kind == kind:
            return known
        number = event.get('output_index')
        if not isinstance(number, int) and self.parts and self.parts[-1].kind == kind:
            return self.parts[-1]
        return self.part(number, kind)

    def _item(
        self, number: Any, item: Mapping[str, Any], begins: bool = False, whole: bool = False
    ) -> None:
        kind = _KINDS.get(str(item.get('type')))
        if kind is None:
            return
        named = item.get('id')
        part = self.known(named) if _named(named) else None
        if part is None:
            part = self.known(number)
            taken = part is not None and (begins or part.kind != kind)
            if part is None or taken:
                part = self.begin(number, kind)
            if _named(named):
                self.also(named, part)
        if part.ended:
            return
        if kind == 'call':
            part.id = str(item.get('call_id') or item.get('id') or part.id)
            part.name = str(item.get('name') or part.name)
            self._rest(part, item.get('arguments'))
        elif kind == 'text':
            pieces = blocks(item.get('content'))
            texts = [p.get('text') or p.get('refusal') or '' for p in pieces]
            self._rest(part, ''.join(text for text in texts if isinstance(text, str)))
        elif whole:
            texts = [p.get('text') for p in blocks(item.get('summary') or item.get('content'))]
            self._rest(part, '\n'.join(text for text in texts if isinstance(text, str)))
            if item.get('encrypted_content'):
                part.sealed = {n: item[n] for n in _SEALED if item.get(n) is not None}
                part.sealed.setdefault('summary', [])
        part.ended = whole

    def _rest(self, part: Block, text: Any) -> None:
        """Take a part as a whole, of which some may have been heard."""
        if isinstance(text, str) and text and not part.text:
            self.more(part, text)
        elif isinstance(text, str) and text and part.kind != 'thought':
            part.text = text

    def _used(self, response: Mapping[str, Any]) -> None:
        usage = response.get('usage')
        if isinstance(usage, Mapping) and usage:
            self.usage = usage_from(usage)


def usage_from(plain: Mapping[str, Any]) -> Usage:
    """Read a usage block; what a server leaves out, or gets wrong, is zero."""
    details = block(plain.get('input_tokens_details'))
    read = count(plain.get('input_tokens'))
    cached = min(read, count(details.get('cached_tokens')))
    written = min(read - cached, count(details.get('cache_write_tokens')))
    return Usage(read, cached, count(plain.get('output_tokens')), written)


def _named(name: Any) -> bool:
    return isinstance(name, str) and bool(name)
