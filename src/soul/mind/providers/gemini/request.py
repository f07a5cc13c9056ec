"""Writes requests as Gemini's generateContent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from soul.mind.messages import AssistantMessage, Message, ShownPicture, SystemMessage, ToolResult
from soul.mind.providers.adapter import Adapter
from soul.mind.providers.answer import AnswerReader, block
from soul.mind.providers.base import Purpose, Request
from soul.mind.providers.demands import GEMINI
from soul.mind.providers.gemini.answer import SIGNATURE, GeminiAnswer
from soul.mind.providers.history import UNSEEN, Histories, thoughts_at
from soul.mind.providers.model_entry import ModelEntry
from soul.mind.providers.taking_turns import TakingTurns

#: Stands for the signature of a call that another model has made; newer models want one.
UNSIGNED = 'skip_thought_signature_validator'
_GENERATION = re.compile(r'gemini-(\d+)')
#: From this generation on calls are to be signed.
_SIGNING = 3

Part = dict[str, Any]


class Gemini(Adapter):
    """generateContent; its cache needs no marks."""

    def __init__(self, entry: ModelEntry, answer_tokens: int) -> None:
        super().__init__(entry, answer_tokens)
        self._histories = Histories(GEMINI, self._written)
        self._turns = TakingTurns('model', 'parts', {'text': GEMINI.filler})
        found = _GENERATION.search(entry.model)
        self._signs = found is not None and int(found[1]) >= _SIGNING

    def url(self, stream: bool) -> str:
        """Return the address that a request goes to."""
        model = self.entry.model if '/' in self.entry.model else f'models/{self.entry.model}'
        how = 'streamGenerateContent?alt=sse' if stream else 'generateContent'
        return f'{self.entry.base_url}/{quote(model)}:{how}'

    def headers(self, key: str) -> dict[str, str]:
        """Return the header that a key stands in."""
        return {'x-goog-api-key': key} if key else {}

    def body(self, request: Request, stream: bool) -> dict[str, Any]:
        """Return a request as the JSON object that is sent."""
        messages, written = self._histories.of(request)
        turns = self._turns.of(messages, written)
        first = messages[:1]
        who = [{'text': m.text} for m in first if isinstance(m, SystemMessage) and m.text]
        body: dict[str, Any] = {'contents': turns}
        if who:
            body['systemInstruction'] = {'parts': who}
        if request.tools:
            declared = [_tool(block(tool.get('function'))) for tool in request.tools]
            body['tools'] = [{'functionDeclarations': declared}]
        settings: dict[str, Any] = {}
        if self.temperature is not None:
            settings['temperature'] = self.temperature
        if request.purpose == Purpose.WARM_UP:
            settings['maxOutputTokens'] = 1
        if settings:
            body['generationConfig'] = settings
        return body

    def answer(self, heard: Callable[[str, str], None]) -> AnswerReader:
        """Return what reads one answer."""
        return GeminiAnswer(heard)

    def _written(self, message: Message) -> list[Part]:
        if isinstance(message, AssistantMessage):
            return self._answered(message) or [{'text': GEMINI.filler}]
        if isinstance(message, ToolResult):
            answer: Part = {
                'id': message.call_id,
                'name': message.name,
                'response': {'result': message.text},
            }
            return [{'functionResponse': answer}]
        pictures = () if isinstance(message, SystemMessage) else message.pictures
        words = [{'text': message.text}] if message.text else []
        return [*words, *self._pictures(pictures)]

    def _answered(self, message: AssistantMessage) -> list[Part]:
        parts: list[Part] = []
        for place in range(len(message.calls) + 1):
            thoughts = thoughts_at(message, place, self.origin)
            signature = next((t.sealed[SIGNATURE] for t in thoughts if SIGNATURE in t.sealed), '')
            if not place and message.text:
                parts.append({'text': message.text})
            elif place:
                call = message.calls[place - 1]
                made = {'id': call.id, 'name': call.name, 'args': json.loads(call.arguments)}
                parts.append({'functionCall': made})
                if not signature and place == 1 and self._signs:
                    signature = UNSIGNED
            if signature and parts:
                parts[-1][SIGNATURE] = signature
        for thought in thoughts_at(message, len(message.calls) + 1, self.origin):
            if SIGNATURE in thought.sealed:  # it came by itself at the end
                parts.append({'text': '', SIGNATURE: thought.sealed[SIGNATURE]})
        return parts

    def _pictures(self, pictures: Sequence[ShownPicture]) -> list[Part]:
        if not self.entry.pictures:
            return [{'text': UNSEEN} for _ in pictures]
        return [
            {'inlineData': {'mimeType': f'image/{picture.kind}', 'data': picture.data}}
            for picture in pictures
        ]


def _tool(function: Any) -> Part:
    return {
        'name': function.get('name', ''),
        'description': function.get('description', ''),
        'parametersJsonSchema': function.get('parameters') or {'type': 'object'},
    }
