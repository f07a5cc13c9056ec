"""Any OpenAI-compatible server over HTTP, streamed and not."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import httpx

from soul.mind.providers.base import Completion, ProviderError, Request, ToolCall
from soul.mind.providers.sse import Assembler, error_text, usage_from

#: Statuses after which trying again soon is useless.
LASTING = frozenset({400, 401, 403, 404, 405, 422})


class OpenAI:
    """A chat-completions client.

    Parameters
    ----------
    base_url
        Address up to and including the version, for example http://127.0.0.1:11434/v1.
    api_key_env
        Name of the environment variable that holds the key; the key itself stays there.
    seconds
        Longest silence of the server, s.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key_env: str = '',
        stream: bool = True,
        temperature: float = 0.8,
        seconds: float = 90.0,
    ) -> None:
        self.name = f'{model or "default"} at {base_url}'
        self._url = base_url.rstrip('/') + '/chat/completions'
        self._model = model
        self._key_name = api_key_env
        self._stream = stream
        self._temperature = temperature
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(seconds, connect=min(10.0, seconds))
        )

    async def complete(self, request: Request, heard: Callable[[str, str], None]) -> Completion:
        """Ask the server once.

        Raises
        ------
        ProviderError
            Naming the server and what it said.
        """
        body: dict[str, Any] = {
            'messages': list(request.messages),
            'temperature': self._temperature,
            'stream': self._stream,
        }
        if self._model:
            body['model'] = self._model
        if request.tools:
            body['tools'] = list(request.tools)
        if self._stream:
            body['stream_options'] = {'include_usage': True}
        try:
            return await (self._streamed if self._stream else self._whole)(body, heard)
        except httpx.TimeoutException as error:
            raise ProviderError(f'{self._url} did not answer in time') from error
        except httpx.HTTPError as error:
            raise ProviderError(f'{self._url} cannot be reached: {error}') from error

    def _headers(self) -> dict[str, str]:
        key = os.environ.get(self._key_name, '') if self._key_name else ''
        return {'Authorization': f'Bearer {key}'} if key else {}

    async def _whole(self, body: dict[str, Any], heard: Callable[[str, str], None]) -> Completion:
        response = await self._client.post(self._url, json=body, headers=self._headers())
        self._check(response.status_code, response.text)
        try:
            answer = response.json()
            message = answer['choices'][0]['message']
        except (ValueError, KeyError, IndexError, TypeError):
            self._check_body(response.text)
            raise ProviderError(
                f'{self._url} answered something that is no completion: {response.text[:120]}'
            ) from None
        text = message.get('content') or ''
        reasoning = message.get('reasoning_content') or ''
        for kind, piece in (('reasoning', reasoning), ('text', text)):
            if piece:
                heard(kind, piece)
        calls = tuple(
            ToolCall(
                call.get('id') or f'call-{number}',
                call['function']['name'],
                call['function'].get('arguments') or '',
            )
            for number, call in enumerate(message.get('tool_calls') or ())
            if call.get('function', {}).get('name')
        )
        return Completion(text, reasoning, calls, usage_from(answer.get('usage')))

    async def _streamed(
        self, body: dict[str, Any], heard: Callable[[str, str], None]
    ) -> Completion:
        assembler = Assembler(heard)
        async with self._client.stream(
            'POST', self._url, json=body, headers=self._headers()
        ) as response:
            if response.status_code != 200:
                await response.aread()
                self._check(response.status_code, response.text)
            async for line in response.aiter_lines():
                assembler.line(line)
        if not assembler.done:
            raise ProviderError(f'{self._url} broke off in mid-stream')
        return assembler.completion()

    def _check(self, status: int, text: str) -> None:
        if status == 200:
            return
        hint = ''
        if status in (401, 403):
            hint = f' (is the key in ${self._key_name} right?)' if self._key_name else ''
        raise ProviderError(
            f'{self._url} answered {status}{hint}: {text[:200]}', lasting=status in LASTING
        )

    def _check_body(self, text: str) -> None:
        # Some servers report errors with status 200.
        if '"error"' in text:
            raise ProviderError(f'{self._url} reports: {error_text(text)}')

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()
