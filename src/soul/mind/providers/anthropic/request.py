"""Writes requests as Anthropic's messages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from soul.mind.messages import AssistantMessage, Message, ShownPicture, SystemMessage, ToolResult
from soul.mind.providers.adapter import Adapter
from soul.mind.providers.answer import AnswerReader, block
from soul.mind.providers.anthropic.answer import AnthropicAnswer
from soul.mind.providers.anthropic.marks import Marks
from soul.mind.providers.base import ProviderError, Purpose, Request
from soul.mind.providers.demands import ANTHROPIC
from soul.mind.providers.history import UNSEEN, Histories, thoughts_at
from soul.mind.providers.model_entry import ModelEntry
from soul.mind.providers.taking_turns import TakingTurns

VERSION = '2023-06-01'
#: What it says of an answer that may become longer than the model can write.
_LONGEST = re.compile(r'max_tokens\D{1,3}\d+ > (\d+)')

Part = dict[str, Any]


class Anthropic(Adapter):
    """Messages, with marks for the cache."""

    def __init__(self, entry: ModelEntry, answer_tokens: int) -> None:
        super().__init__(entry, answer_tokens)
        self._histories = Histories(ANTHROPIC, self._written)
        self._turns = TakingTurns('assistant', 'content', _text(ANTHROPIC.filler)[0])
        self._marks = Marks(entry.cache_seconds)
        self._most = answer_tokens

    def url(self, stream: bool) -> str:
        """Return the address that a request goes to."""
        return f'{self.entry.base_url}/messages'

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers that a key stands in."""
        headers = {'anthropic-version': VERSION}
        return {**headers, 'x-api-key': key} if key else headers

    def body(self, request: Request, stream: bool) -> dict[str, Any]:
        """Return a request as the JSON object that is sent."""
        messages, written = self._histories.of(request)
        turns: list[Part] = []
        turns = self._turns.of(messages, written)
        system = [
            {'type': 'text', 'text': m.text}
            for m in messages[:1]
            if isinstance(m, SystemMessage) and m.text.strip()
        ]
        tools = [_tool(block(tool.get('function'))) for tool in request.tools]
        ends = [request.messages[n - 1] for n in request.stable if 0 < n <= len(request.messages)]
        stable = self._turns.ends_of(ends)
        self._marks.put(tools, system, turns, stable)
        body: dict[str, Any] = {
            'model': self.entry.model,
            'max_tokens': 1 if request.purpose == Purpose.WARM_UP else self._most,
            'messages': turns,
            'stream': stream,
        }
        if system:
            body['system'] = system
        if tools:
            body['tools'] = tools
        if self.temperature is not None:
            body['temperature'] = min(1.0, self.temperature)
        return body

    def answer(self, heard: Callable[[str, str], None]) -> AnswerReader:
        """Return what reads one answer."""
        return AnthropicAnswer(heard)

    def adapt(self, error: ProviderError) -> bool:
        """Learn how long an answer this model can write."""
        found = _LONGEST.search(error.detail) if error.status == 400 else None
        if found is None or not 0 < int(found[1]) < self._most:
            return super().adapt(error)
        self._most = int(found[1])
        return True

    def _written(self, message: Message) -> list[Part]:
        if isinstance(message, AssistantMessage):
            return self._answered(message) or _text(ANTHROPIC.filler)
        if isinstance(message, ToolResult):
            content = _text(message.text) + self._pictures(message.pictures)
            plain = len(content) == 1 and content[0]['type'] == 'text'
            return [
                {
                    'type': 'tool_result',
                    'tool_use_id': message.call_id,
                    'content': content[0]['text'] if plain else content or ANTHROPIC.filler,
                }
            ]
        pictures = () if isinstance(message, SystemMessage) else message.pictures
        return _text(message.text) + self._pictures(pictures) or _text(ANTHROPIC.filler)

    def _answered(self, message: AssistantMessage) -> list[Part]:
        """Write an answer; its last part is never a thought."""
        parts: list[Part] = []
        for place in range(len(message.calls) + 1):
            sealed = [t.sealed for t in thoughts_at(message, place, self.origin) if t.sealed]
            if place:
                call = message.calls[place - 1]
                said = [
                    {
                        'type': 'tool_use',
                        'id': call.id,
                        'name': call.name,
                        'input': json.loads(call.arguments),
                    }
                ]
            else:
                said = _text(message.text)
                if not said and not message.calls and sealed:
                    said = _text(ANTHROPIC.filler)
            parts += [*map(dict, sealed), *said]
        return parts

    def _pictures(self, pictures: Sequence[ShownPicture]) -> list[Part]:
        if not self.entry.pictures:
            return [{'type': 'text', 'text': UNSEEN} for _ in pictures]
        return [
            {
                'type': 'image',
                'source': {
                    'type': 'base64',
                    'media_type': f'image/{picture.kind}',
                    'data': picture.data,
                },
            }
            for picture in pictures
        ]


def _text(text: str) -> list[Part]:
    """Return a text as parts; nothing but spaces is refused, so it is none."""
    return [{'type': 'text', 'text': text}] if text.strip() else []


def _tool(function: Any) -> Part:
    schema = dict(function.get('parameters') or {})
    schema.setdefault('type', 'object')
    return {
        'name': function.get('name', ''),
        'description': function.get('description', ''),
        'input_schema': schema,
    }
