"""Any OpenAI-compatible server over HTTP, streamed and not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx

from soul.core.organ import StartRefused
from soul.mind import bounded
from soul.mind.providers.base import Completion, Fault, ProviderError, Purpose, Request
from soul.mind.providers.cleaning import clean_text
from soul.mind.providers.demands import OPENAI_CHAT, Conformer
from soul.mind.providers.lines import LineTooLong, StreamLines
from soul.mind.providers.sse import Assembler, error_text, says_too_long
from soul.proxies import client_options

#: Statuses after which trying again soon is useless.
LASTING = frozenset({400, 401, 402, 403, 404, 405, 422})
#: Statuses that are about the key, or what is paid for it.
KEY_FAULTS = frozenset({401, 402, 403})
#: A server that wants to be left alone for longer is asked again earlier, s.
LONGEST_AFTER = 3600.0
#: Longest answer, and longest error that is read, bytes.
LARGEST_ANSWER = 8_000_000
LARGEST_ERROR = 100_000


class OpenAI:
    """A chat-completions client.

    Parameters
    ----------
    base_url
        Address up to and including the version, for example http://127.0.0.1:11434/v1.
    api_key_env
        Name of the environment variable that holds the key; the key itself stays there.
    seconds
        Longest silence of the server in the middle of an answer, s.
    first_seconds
        Longest silence before the first byte of an answer, s: a server may have to load the
        model. None: as `seconds`.

    Raises
    ------
    StartRefused
        If the environment names a proxy that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key_env: str = '',
        stream: bool = True,
        temperature: float | None = 0.8,
        seconds: float = 90.0,
        first_seconds: float | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.name = f'{model or "default"} at {without_login(base_url)}'
        self._url = base_url.rstrip('/') + '/chat/completions'
        self._shown = without_login(self._url)  # for people
        self._model = model
        self._key_name = api_key_env
        self._stream = stream
        self._temperature = temperature
        self._seconds = seconds
        self._conformer = Conformer(OPENAI_CHAT)
        first = seconds if first_seconds is None else max(seconds, first_seconds)
        try:
            options = client_options(self._url, os.environ)
            self._client = httpx.AsyncClient(
                timeout=httpx.Timeout(first, connect=min(10.0, seconds)),
                transport=transport,
                headers=bounded.PLAIN,
                **options,
            )
        except ValueError as error:
            raise StartRefused(f'{self._shown}: {error}') from error

    async def complete(
        self, request: Request, heard: Callable[[str, str], None], key: str = ''
    ) -> Completion:
        """Ask the server once.

        Parameters
        ----------
        key
            That is sent; empty: that of the environment variable, if there is one.

        Raises
        ------
        ProviderError
            Saying what happened; which server and what it said is in its `detail`.
        """
        body: dict[str, Any] = {
            'messages': self._conformer.conform(request.messages),
            'stream': self._stream,
        }
        if self._temperature is not None:
            body['temperature'] = self._temperature
        if self._model:
            body['model'] = self._model
        if request.tools:
            body['tools'] = list(request.tools)
        if request.purpose == Purpose.WARM_UP:
            body['max_tokens'] = 1
        if self._stream:
            body['stream_options'] = {'include_usage': True}
        assembler = Assembler(heard)
        try:
            return await self._ask(body, assembler, key)
        except ProviderError as error:
            error.detail = error.detail or self._shown
            if not error.detail.startswith(self._shown):
                error.detail = f'{self._shown}: {error.detail}'
            raise self._charged(error, assembler) from error.__cause__
        except (httpx.TimeoutException, TimeoutError) as error:
            words = 'the model did not answer in time'
            begun = not isinstance(error, httpx.ConnectTimeout)
            failure = ProviderError(words, detail=self._shown, begun=begun)
            raise self._charged(failure, assembler) from error
        except httpx.ConnectError as error:
            raise ProviderError(
                'the model cannot be reached',
                detail=f'{self._shown}: {error} (is the server running there?)',
            ) from error
        except (httpx.HTTPError, bounded.TooMuch, LineTooLong) as error:
            words = (
                'the model cannot be reached'
                if isinstance(error, httpx.HTTPError)
                else 'the answer of the model is no answer'
            )
            failure = ProviderError(words, detail=f'{self._shown}: {error}', begun=True)
            raise self._charged(failure, assembler) from error

    @staticmethod
    def _charged(error: ProviderError, assembler: Assembler) -> ProviderError:
        """Let an error say what the server has counted until then."""
        if assembler.usage.tokens_in or assembler.usage.tokens_out:
            error.usage = assembler.usage
        error.begun = error.begun or assembler.begun
        return error

    def _headers(self, key: str) -> dict[str, str]:
        if not key and self._key_name:
            key = os.environ.get(self._key_name, '')
        return {'Authorization': f'Bearer {key}'} if key else {}

    async def _ask(self, body: dict[str, Any], assembler: Assembler, key: str) -> Completion:
        async with self._client.stream(
            'POST', self._url, json=body, headers=self._headers(key)
        ) as response:
            if response.status_code != 200:
                text = await self._text(response, LARGEST_ERROR)
                after = response.headers.get('retry-after', '')
                raise self._error(response.status_code, text, after)
            kind = response.headers.get('content-type', '')
            if not self._stream or 'json' in kind:  # or a server that does not stream
                return self._completion(await self._text(response, LARGEST_ANSWER), assembler)
            lines = StreamLines()
            async for piece in bounded.pieces(response, LARGEST_ANSWER, self._seconds):
                for line in lines.feed(piece):
                    assembler.line(line)
            for line in lines.feed(b'', final=True):
                assembler.line(line)
        if not assembler.done:
            raise ProviderError('the answer of the model broke off', begun=True)
        return assembler.completion()

    async def _text(self, response: httpx.Response, most: int) -> str:
        cut = response.status_code != 200
        content = await bounded.whole(response, most, self._seconds, cut)
        return clean_text(content.decode('utf-8', 'replace'))

    def _completion(self, text: str, assembler: Assembler) -> Completion:
        """Read an answer that came as a whole."""
        try:
            answer = json.loads(text)
            choice = answer['choices'][0]
            message = choice['message']
            message.get('content')
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            # Some servers report errors with status 200.
            raise self._error(200, text) from None
        assembler.used(answer.get('usage'))
        assembler.whole(message, choice.get('finish_reason'))
        return assembler.completion()

    def _error(self, status: int, text: str, after: str = '') -> ProviderError:
        said = error_text(text)
        words = f'the model server answered {status}'
        if status == 200:
            words = 'the model server answered something that is no completion'
        elif status in (401, 403):
            words = 'the model server refuses the key'
        too_long = status in (200, 400, 413) and says_too_long(said)
        hint = '' if too_long else self._hint(status, said)
        return ProviderError(
            words,
            lasting=status in LASTING and not too_long,
            too_long=too_long,
            detail=f'{self._shown} answered {status}{hint}: {said}',
            after=_seconds(after),
            begun=status == 200,
            status=status,
            fault=_fault(status, too_long),
        )

    def _hint(self, status: int, said: str) -> str:
        """Say what a person could do about an error."""
        if status in (401, 403):
            return f' (is the key in ${self._key_name} right?)'
        said = said.lower()
        if status in (404, 405) and 'model' in said:
            return f' (does the server know the model {self._model!r}? set `model`)'
        if status in (404, 405):
            return ' (is `base_url` complete? it mostly ends with /v1)'
        if 'temperature' in said and self._temperature is not None:
            return f' (it does not take temperature {self._temperature:g}; set `temperature`)'
        return ''

    async def close(self) -> None:
        """Close the connections; requests in progress end with an error."""
        await self._client.aclose()


def _fault(status: int, too_long: bool) -> str:
    if too_long:
        return Fault.TOO_LONG
    if status in KEY_FAULTS:
        return Fault.KEY
    return Fault.MODEL if status in LASTING else Fault.AGAIN


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
