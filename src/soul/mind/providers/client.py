"""Speaks with the server of one model in any protocol: sends, reads within limits, closes."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

import httpx

from soul.core.organ import StartRefused
from soul.mind import bounded
from soul.mind.providers import failures
from soul.mind.providers.adapter import Adapter
from soul.mind.providers.answer import AnswerReader
from soul.mind.providers.base import Completion, ProviderError, Request
from soul.mind.providers.cleaning import clean_text
from soul.mind.providers.events import EventStream
from soul.mind.providers.lines import LineTooLong
from soul.mind.providers.read_watch import ReadWatch
from soul.proxies import client_options

#: Longest answer, and longest error that is read, bytes.
LARGEST_ANSWER = 8_000_000
LARGEST_ERROR = 100_000


class ModelClient:
    """A client of one model.

    Parameters
    ----------
    adapter
        Knows its protocol.
    stream
        Whether answers are received as they are written.
    seconds
        Longest silence of the server in the middle of an answer, s.
    first_seconds
        Longest silence before the first byte of an answer, s: a server may have to load the
        model. None: as `seconds`.
    key_words
        Which key is sent, in words.

    Raises
    ------
    StartRefused
        If the environment names a proxy that cannot be used.
    """

    def __init__(
        self,
        adapter: Adapter,
        stream: bool = True,
        seconds: float = 90.0,
        first_seconds: float | None = None,
        key_words: str = 'its key',
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        entry = adapter.entry
        self.name = f'{entry.model or "default"} at {without_login(entry.base_url)}'
        self._adapter = adapter
        self._url = adapter.url(stream)
        self._shown = without_login(self._url)  # for people
        self._stream = stream
        self._seconds = seconds
        self._key_words = key_words
        self._watch = ReadWatch()
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

        A server that cannot take something of the form it is asked in is asked again at once in
        a form that it can take.

        Parameters
        ----------
        key
            That is sent; empty: none.

        Raises
        ------
        ProviderError
            Saying what happened; which server and what it said is in its `detail`.
        """
        while True:
            try:
                return await self._once(request, heard, key)
            except ProviderError as error:
                if not self._adapter.adapt(error):
                    raise

    async def close(self) -> None:
        """Close the connections; requests in progress end with an error."""
        await self._client.aclose()

    async def _once(
        self, request: Request, heard: Callable[[str, str], None], key: str
    ) -> Completion:
        answer = self._adapter.answer(heard)
        try:
            completion = self._of_this_model(await self._ask(request, answer, key))
            warning = self._watch.counted(request, completion.usage)
            return dataclasses.replace(completion, warning=warning)
        except ProviderError as error:
            error.detail = error.detail or self._shown
            if not error.detail.startswith(self._shown):
                joint = ' ' if error.detail.startswith('answered ') else ': '
                error.detail = f'{self._shown}{joint}{error.detail}'
            raise _charged(error, answer) from error.__cause__
        except (httpx.TimeoutException, TimeoutError) as error:
            words = 'the model did not answer in time'
            begun = not isinstance(error, httpx.ConnectTimeout)
            failure = ProviderError(words, detail=self._shown, begun=begun)
            raise _charged(failure, answer) from error
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
            raise _charged(failure, answer) from error

    def _of_this_model(self, completion: Completion) -> Completion:
        """Note who has written it: nobody else is sent the reasoning in it."""
        origin = self._adapter.origin
        thoughts = tuple(dataclasses.replace(t, origin=origin) for t in completion.thoughts)
        return dataclasses.replace(completion, thoughts=thoughts, origin=origin)

    async def _ask(self, request: Request, answer: AnswerReader, key: str) -> Completion:
        body = self._adapter.body(request, self._stream)
        headers = self._adapter.headers(key)
        async with self._client.stream('POST', self._url, json=body, headers=headers) as response:
            if response.status_code != 200:
                raise self._refused(response, await self._text(response, LARGEST_ERROR))
            kind = response.headers.get('content-type', '')
            streamed = 'event-stream' in kind or (self._stream and 'json' not in kind)
            if not streamed:  # or a server that does not stream
                text = await self._text(response, LARGEST_ANSWER)
                self._take(response, text, answer)
                return answer.completion()
            events = EventStream()
            async for piece in bounded.pieces(response, LARGEST_ANSWER, self._seconds):
                for data in events.feed(piece):
                    answer.data(data)
            for data in events.feed(b'', final=True):
                answer.data(data)
            if events.stray.strip() and not answer.begun:
                self._take(response, clean_text(events.stray), answer)
        if not answer.done:
            raise ProviderError('the answer of the model broke off', begun=True)
        return answer.completion()

    async def _text(self, response: httpx.Response, most: int) -> str:
        cut = response.status_code != 200
        content = await bounded.whole(response, most, self._seconds, cut)
        return clean_text(content.decode('utf-8', 'replace'))

    def _take(self, response: httpx.Response, text: str, answer: AnswerReader) -> None:
        """Read an answer that came as a whole."""
        try:
            answer.whole(json.loads(text))
        except (ValueError, RecursionError):  # NoCompletion, too
            # Some servers report errors with status 200.
            raise self._refused(response, text) from None

    def _refused(self, response: httpx.Response, text: str) -> ProviderError:
        entry = self._adapter.entry
        hint = failures.hint_for(
            response.status_code, text, entry.model, entry.temperature, self._key_words
        )
        return failures.refused(response.status_code, text, response.headers, hint)


def _charged(error: ProviderError, answer: AnswerReader) -> ProviderError:
    """Let an error say what the server has counted until then."""
    if answer.usage.tokens_in or answer.usage.tokens_out:
        error.usage = answer.usage
    error.begun = error.begun or answer.begun
    return error


def without_login(url: str) -> str:
    """Return an address without a user name and password in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition('@')[2]))
