"""Writes requests as OpenAI's responses, without anything kept at the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soul.mind.kept_messages import url_of
from soul.mind.messages import (
    AssistantMessage,
    Message,
    ShownPicture,
    SystemMessage,
    ToolResult,
    UserMessage,
)
from soul.mind.providers.adapter import Adapter
from soul.mind.providers.answer import AnswerReader, block
from soul.mind.providers.base import ProviderError, Purpose, Request
from soul.mind.providers.cache_key import cache_key
from soul.mind.providers.demands import OPENAI_RESPONSES
from soul.mind.providers.history import UNSEEN, Histories, thoughts_at
from soul.mind.providers.model_entry import ModelEntry
from soul.mind.providers.responses.answer import ResponsesAnswer

#: Reasoning that is wanted back comes only if it is asked for.
_SEALED = 'reasoning.encrypted_content'
#: The protocol knows no shorter answer, tokens.
_SHORTEST = 16

Item = dict[str, Any]


class Responses(Adapter):
    """Responses.

    The server keeps nothing: each request holds the whole history, with the encrypted reasoning
    that this model has given.
    """

    def __init__(self, entry: ModelEntry, answer_tokens: int) -> None:
        super().__init__(entry, answer_tokens)
        self._histories = Histories(OPENAI_RESPONSES, self._written)
        self._sealed = True

    def url(self, stream: bool) -> str:
        """Return the address that a request goes to."""
        return f'{self.entry.base_url}/responses'

    def headers(self, key: str) -> dict[str, str]:
        """Return the header that a key stands in."""
        return {'Authorization': f'Bearer {key}'} if key else {}

    def body(self, request: Request, stream: bool) -> dict[str, Any]:
        """Return a request as the JSON object that is sent."""
        messages, written = self._histories.of(request)
        who = [m.text for m in messages[:1] if isinstance(m, SystemMessage)]
        items = [item for one in written for item in one]
        body: dict[str, Any] = {
            'model': self.entry.model,
            'input': items or [{'role': 'user', 'content': OPENAI_RESPONSES.filler}],
            'stream': stream,
            'store': False,
        }
        if who:
            body['instructions'] = '\n\n'.join(who)
        if self._sealed:
            body['include'] = [_SEALED]
        if self.temperature is not None:
            body['temperature'] = self.temperature
        if request.tools:
            body['tools'] = [_tool(block(tool.get('function'))) for tool in request.tools]
        if request.purpose == Purpose.WARM_UP:
            body['max_output_tokens'] = _SHORTEST
        key = cache_key(self.entry.base_url, request.conversation)
        if key:
            body['prompt_cache_key'] = key
        return body

    def answer(self, heard: Callable[[str, str], None]) -> AnswerReader:
        """Return what reads one answer."""
        return ResponsesAnswer(heard)

    def adapt(self, error: ProviderError) -> bool:
        """Learn that a model has no reasoning that could be encrypted."""
        said = error.detail.lower()
        asked = self._sealed and ('encrypted' in said or 'include' in said)
        if error.status != 400 or not asked:
            return super().adapt(error)
        self._sealed = False
        return True

    def _written(self, message: Message) -> list[Item]:
        if isinstance(message, SystemMessage):
            return []
        if isinstance(message, ToolResult):
            return [
                {
                    'type': 'function_call_output',
                    'call_id': message.call_id,
                    'output': self._content(message.text, message.pictures),
                }
            ]
        if isinstance(message, UserMessage):
            content = self._content(message.text, message.pictures)
            return [{'role': 'user', 'content': content}]
        return self._answered(message)

    def _answered(self, message: AssistantMessage) -> list[Item]:
        items: list[Item] = []
        for place in range(len(message.calls) + 1):
            # each piece of reasoning must be followed by what it led to
            items += [dict(t.sealed) for t in thoughts_at(message, place, self.origin) if t.sealed]
            if place:
                call = message.calls[place - 1]
                items.append(
                    {
                        'type': 'function_call',
                        'call_id': call.id,
                        'name': call.name,
                        'arguments': call.arguments,
                    }
                )
            elif message.text:
                items.append({'role': 'assistant', 'content': message.text})
        return items

    def _content(self, text: str, pictures: Any) -> str | list[Item]:
        if not pictures:
            return text
        if not self.entry.pictures:
            return '\n'.join(filter(None, [text, *[UNSEEN] * len(pictures)]))
        words = [{'type': 'input_text', 'text': text}] if text else []
        return [*words, *map(_picture, pictures)]


def _picture(picture: ShownPicture) -> Item:
    return {'type': 'input_image', 'image_url': url_of(picture), 'detail': 'auto'}


def _tool(function: Any) -> Item:
    return {
        'type': 'function',
        'name': function.get('name', ''),
        'description': function.get('description', ''),
        'parameters': function.get('parameters') or {'type': 'object', 'properties': {}},
        'strict': False,
    }
