"""Tries a model once in every way she needs: answer, stream, tool call, picture, cache."""

from __future__ import annotations

import base64
import io
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from soul.mind.messages import Message, ShownPicture, SystemMessage, UserMessage
from soul.mind.providers.base import Completion, ProviderError, Request, Usage
from soul.mind.providers.model_entry import ModelEntry
from soul.mind.providers.router import Client
from soul.signals import View

#: Providers keep nothing shorter than this in their caches, tokens; the text is longer.
CACHED_WORDS = 2500
_TOOL = {
    'type': 'function',
    'function': {
        'name': 'look',
        'description': 'Turn the head.',
        'parameters': {
            'type': 'object',
            'properties': {'direction': {'type': 'string', 'enum': ['left', 'right']}},
            'required': ['direction'],
        },
    },
}
_SYSTEM = SystemMessage('You are the mind of a small robot. Answer in one word.')


@dataclass(frozen=True)
class Tried:
    """How one thing went.

    Attributes
    ----------
    what
        ``answer``, ``stream``, ``tool call``, ``picture`` or ``cache``.
    ok
        Whether it did; None: it was not tried.
    seconds
        How long it took, s.
    said
        What came of it, for people.
    """

    what: str
    ok: bool | None
    seconds: float
    said: str


class ModelTrial:
    """Tries one model with one key.

    Parameters
    ----------
    client_of
        Makes a client of a model that streams, or not.
    """

    def __init__(
        self, entry: ModelEntry, key: str, client_of: Callable[[ModelEntry, bool], Client]
    ) -> None:
        self._entry = entry
        self._key = key
        self._client_of = client_of
        #: What the server has counted for all of it.
        self.usage = Usage()

    async def run(self) -> list[Tried]:
        """Try everything; what fails is told and the rest tried all the same."""
        whole, streamed = self._client_of(self._entry, False), self._client_of(self._entry, True)
        try:
            first = await self._try('answer', whole, self._answer)
            if not first.ok:
                names = ('stream', 'tool call', 'picture', 'cache')
                return [first, *(Tried(name, None, 0.0, '') for name in names)]
            return [
                first,
                await self._try('stream', streamed, self._stream),
                await self._try('tool call', streamed, self._tool),
                await self._try('picture', streamed, self._picture),
                await self._try('cache', streamed, self._cache),
            ]
        finally:
            await whole.close()
            await streamed.close()

    async def _try(self, what: str, client: Client, work: Any) -> Tried:
        begun = time.monotonic()
        try:
            ok, said = await work(client)
        except ProviderError as error:
            ok, said = False, f'{error}: {error.detail}' if error.detail else str(error)
        return Tried(what, ok, time.monotonic() - begun, said)

    async def _ask(
        self,
        client: Client,
        text: str,
        tools: Sequence[Any] = (),
        heard: Callable[[str, str], None] = lambda kind, text: None,
        pictures: Sequence[ShownPicture] = (),
    ) -> Completion:
        messages: list[Message] = [_SYSTEM, UserMessage(text, pictures)]
        completion = await client.complete(Request(messages, tools, View(), 0), heard, self._key)
        self.usage += completion.usage
        return completion

    async def _answer(self, client: Client) -> tuple[bool, str]:
        completion = await self._ask(client, 'Say hello.')
        return not completion.empty, _short(completion.text)

    async def _stream(self, client: Client) -> tuple[bool, str]:
        pieces: list[str] = []
        completion = await self._ask(
            client, 'Count from one to ten.', heard=lambda kind, text: pieces.append(text)
        )
        return len(pieces) > 1 and not completion.empty, f'{len(pieces)} pieces'

    async def _tool(self, client: Client) -> tuple[bool, str]:
        completion = await self._ask(client, 'Look left, with your tool.', [_TOOL])
        if not completion.calls:
            return False, f'no call, but {_short(completion.text)!r}'
        call = completion.calls[0]
        try:
            right = json.loads(call.arguments or '{}') == {'direction': 'left'}
        except ValueError:
            right = False
        return right and call.name == 'look', f'{call.name}({_short(call.arguments)})'

    async def _picture(self, client: Client) -> tuple[bool | None, str]:
        if not self._entry.pictures:
            return None, 'it is not said to see (pictures: true)'
        red = ShownPicture('png', base64.b64encode(_red()).decode())
        question = 'Which colour is this? One English word.'
        completion = await self._ask(client, question, pictures=[red])
        return 'red' in completion.text.lower(), _short(completion.text)

    async def _cache(self, client: Client) -> tuple[bool | None, str]:
        text = ' '.join(f'word{number}' for number in range(CACHED_WORDS)) + ' Say hello.'
        await self._ask(client, text)
        completion = await self._ask(client, text)
        usage = completion.usage
        if not usage.tokens_in:
            return None, 'it does not count tokens'
        return usage.cached > 0, f'{usage.cached} of {usage.tokens_in} tokens'


def _red() -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.new('RGB', (64, 64), (220, 20, 20)).save(file, 'PNG')
    return file.getvalue()


def _short(text: str) -> str:
    text = ' '.join(text.split())
    return text if len(text) <= 40 else text[:39] + '…'
