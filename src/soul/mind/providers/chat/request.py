"""Writes requests as OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soul.mind.kept_messages import url_of
from soul.mind.messages import AssistantMessage, Message, ToolResult, UserMessage
from soul.mind.providers.adapter import Adapter
from soul.mind.providers.answer import AnswerReader
from soul.mind.providers.base import ProviderError, Purpose, Request
from soul.mind.providers.cache_key import cache_key
from soul.mind.providers.chat.answer import ChatAnswer
from soul.mind.providers.demands import OPENAI_CHAT
from soul.mind.providers.history import UNSEEN, Histories, thoughts_at
from soul.mind.providers.model_entry import ModelEntry

#: Stands for reasoning that there was not; an empty one is refused.
_NONE = ' '


class Chat(Adapter):
    """OpenAI's chat completions, which nearly every server speaks."""

    def __init__(self, entry: ModelEntry, answer_tokens: int) -> None:
        super().__init__(entry, answer_tokens)
        self._histories = Histories(OPENAI_CHAT, self._written)
        self._reasons = False  # every answer must come back with its reasoning

    def url(self, stream: bool) -> str:
        """Return the address that a request goes to."""
        return f'{self.entry.base_url}/chat/completions'

    def headers(self, key: str) -> dict[str, str]:
        """Return the header that a key stands in."""
        return {'Authorization': f'Bearer {key}'} if key else {}

    def body(self, request: Request, stream: bool) -> dict[str, Any]:
        """Return a request as the JSON object that is sent."""
        _, written = self._histories.of(request)
        body: dict[str, Any] = {'messages': written, 'stream': stream}
        if self.temperature is not None:
            body['temperature'] = self.temperature
        if self.entry.model:
            body['model'] = self.entry.model
        if request.tools:
            body['tools'] = list(request.tools)
        if request.purpose == Purpose.WARM_UP:
            body['max_tokens'] = 1
        if stream:
            body['stream_options'] = {'include_usage': True}
        key = cache_key(self.entry.base_url, request.conversation)
        if key:
            body['prompt_cache_key'] = key
        return body

    def answer(self, heard: Callable[[str, str], None]) -> AnswerReader:
        """Return what reads one answer."""
        return ChatAnswer(heard)

    def adapt(self, error: ProviderError) -> bool:
        """Learn that a server wants all reasoning back, also of wakings that are over.

        A history that another model has lived has none that this one could read: something stands
        in its place.
        """
        if error.status != 400 or self._reasons or 'reasoning_content' not in error.detail:
            return super().adapt(error)
        self._reasons = True
        self._histories = Histories(OPENAI_CHAT, self._written)
        return True

    def _written(self, message: Message) -> dict[str, Any]:
        written: dict[str, Any] = {'role': message.role, 'content': message.text}
        if isinstance(message, ToolResult):
            return {'role': 'tool', 'tool_call_id': message.call_id, 'content': message.text}
        if isinstance(message, UserMessage) and message.pictures:
            written['content'] = self._parts(message)
        elif isinstance(message, AssistantMessage):
            self._add_thoughts(written, message)
            if message.calls:
                written['tool_calls'] = [
                    {
                        'id': call.id,
                        'type': 'function',
                        'function': {'name': call.name, 'arguments': call.arguments},
                    }
                    for call in message.calls
                ]
        return written

    def _add_thoughts(self, written: dict[str, Any], message: AssistantMessage) -> None:
        for thought in thoughts_at(message, 0, self.origin):
            written.update(thought.sealed)
            if thought.text and not thought.sealed and (self._reasons or not thought.over):
                written['reasoning_content'] = thought.text
        if self._reasons:
            written.setdefault('reasoning_content', _NONE)

    def _parts(self, message: UserMessage) -> list[dict[str, Any]] | str:
        if not self.entry.pictures:
            return '\n'.join(filter(None, [message.text, *[UNSEEN] * len(message.pictures)]))
        parts: list[dict[str, Any]] = []
        if message.text:
            parts.append({'type': 'text', 'text': message.text})
        for picture in message.pictures:
            parts.append({'type': 'image_url', 'image_url': {'url': url_of(picture)}})
        return parts
