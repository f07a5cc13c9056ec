"""Any OpenAI-compatible server over HTTP, streamed and not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx

from soul.mind.providers.base import Completion, ProviderError, Request
from soul.mind.providers.sse import Assembler, error_text

#: Statuses after which trying again soon is useless.
LASTING = frozenset({400, 401, 403, 404, 405, 422})
#: What servers say of a request that is longer than the model can read.
TOO_LONG = ('context', 'too long', 'maximum length', 'too large', 'token limit')
#: A server that wants to be left alone for longer is asked again earlier, s.
LONGEST_AFTER = 3600.0


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
        self.name = f'{model or "default"} at {without_login(base_url)}'
        self._url = base_url.rstrip('/') + '/chat/completions'
        self._shown = without_login(self._url)  # for people
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
            Saying what happened; which server and what it said is in its `detail`.
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
            raise ProviderError('the model did not answer in time', detail=self._shown) from error
        except httpx.HTTPError as error:
            raise ProviderError(
                'the model cannot be reached', detail=f'{self._shown}: {error}'
            ) from error

    def _headers(self) -> dict[str, str]:
        key = os.environ.get(self._key_name, '') if self._key_name else ''
        return {'Authorization': f'Bearer {key}'} if key else {}

    async def _whole(self, body: dict[str, Any], heard: Callable[[str, str], None]) -> Completion:
        response = await self._client.post(self._url, json=body, headers=self._headers())
        self._check(response)
        return self._completion(response.text, heard)

    async def _streamed(
        self, body: dict[str, Any], heard: Callable[[str, str], None]
    ) -> Completion:
        assembler = Assembler(heard)
        async with self._client.stream(
            'POST', self._url, json=body, headers=self._headers()
        ) as response:
            kind = response.headers.get('content-type', '')
            if response.status_code != 200 or 'json' in kind:
                await response.aread()
                self._check(response)
                return self._completion(response.text, heard)  # a server that does not stream
            try:
                async for line in response.aiter_lines():
                    assembler.line(line)
            except ProviderError as error:
                error.detail = f'{self._shown}: {error.detail}'
                raise
        if not assembler.done:
            raise ProviderError('the answer of the model broke off', detail=self._shown)
        return assembler.completion()

    def _completion(self, text: str, heard: Callable[[str, str], None]) -> Completion:
        """Read an answer that came as a whole."""
        try:
            answer = json.loads(text)
            message = answer['choices'][0]['message']
            content = message.get('content') or ''
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            # Some servers report errors with status 200.
            raise self._error(200, text) from None
        assembler = Assembler(heard)
        assembler.whole(message if isinstance(content, str) else {**message, 'content': ''})
        assembler.used(answer.get('usage'))
        return assembler.completion()

    def _check(self, response: httpx.Response) -> None:
        if response.status_code != 200:
            raise self._error(
                response.status_code, response.text, response.headers.get('retry-after', '')
            )

    def _error(self, status: int, text: str, after: str = '') -> ProviderError:
        said = error_text(text)
        words = f'the model server answered {status}'
        if status == 200:
            words = 'the model server answered something that is no completion'
        elif status in (401, 403):
            words = 'the model server refuses the key'
        hint = f' (is the key in ${self._key_name} right?)' if status in (401, 403) else ''
        too_long = status in (400, 413) and any(word in said.lower() for word in TOO_LONG)
        return ProviderError(
            words,
            lasting=status in LASTING and not too_long,
            too_long=too_long,
            detail=f'{self._shown} answered {status}{hint}: {said}',
            after=_seconds(after),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def _seconds(after: str) -> float:
    """Read a Retry-After header in seconds; a date is not waited for."""
    try:
        seconds = float(after)
    except ValueError:
        return 0.0
    return seconds if 0.0 <= seconds <= LONGEST_AFTER else 0.0


def without_login(url: str) -> str:
    """Return an address without a user name and password in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition('@')[2]))
