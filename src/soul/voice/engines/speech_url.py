"""A voice behind OpenAI's `/v1/audio/speech`, as many servers have it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from soul.proxies import client_options
from soul.voice.engines.port import EngineFailed
from soul.voice.sound import Clip, read_wave

_MOST = 4096  # characters it takes
_MOST_BYTES = 32 << 20  # of the sound of a sentence
_PIECE = 9600  # bytes that are handed on at a time
_FORMATS = {b'ID3': 'mp3', b'\xff\xfb': 'mp3', b'\xff\xf3': 'mp3', b'OggS': 'ogg', b'fLaC': 'flac'}


@dataclass(frozen=True)
class Endpoint:
    """Where a server is and what it is asked for.

    Attributes
    ----------
    url
        Of the API, up to and without `/audio/...`, for example http://127.0.0.1:8000/v1.
    key
        That is sent; empty: none.
    seconds
        Longest silence of the server, s.
    """

    url: str
    model: str
    key: str = ''
    seconds: float = 20.0

    def at(self, path: str) -> str:
        """Return the address of one of its functions."""
        return f'{self.url.rstrip("/")}/{path}'

    @property
    def headers(self) -> dict[str, str]:
        """What is sent along."""
        return {'Authorization': f'Bearer {self.key}'} if self.key else {}

    def client(self) -> httpx.Client:
        """Return what asks it, through a proxy only where one is meant."""
        import os

        return httpx.Client(timeout=self.seconds, **client_options(self.url, os.environ))


class SpeechUrl:
    """One voice of a server.

    Parameters
    ----------
    form
        What is asked for: `pcm`, of which only this side knows the rate, or `wav`.
    rate
        Of `pcm`, Hz.
    """

    def __init__(
        self, endpoint: Endpoint, language: str, voice: str, form: str = 'pcm', rate: int = 24_000
    ) -> None:
        self.name = f'{endpoint.url} {endpoint.model} {voice}'.rstrip()
        self.language = language
        self._endpoint = endpoint
        self._wish = {'model': endpoint.model, 'voice': voice, 'response_format': form}
        self._rate = rate
        self._client = endpoint.client()

    def speak(self, sentence: str) -> Iterator[Clip]:
        """Give the sound of a sentence as it comes."""
        try:
            with self._client.stream(
                'POST',
                self._endpoint.at('audio/speech'),
                json={**self._wish, 'input': sentence[:_MOST]},
                headers=self._endpoint.headers,
            ) as answer:
                if not answer.is_success:
                    answer.read()
                    raise EngineFailed(f'{self.name}: {refusal(answer)}')
                yield from self._pieces(answer)
        except httpx.HTTPError as error:
            raise EngineFailed(f'{self.name}: {error or type(error).__name__}') from error

    def _pieces(self, answer: httpx.Response) -> Iterator[Clip]:
        """Hand samples on; of a file with a header the whole is waited for."""
        held, size, header = b'', 0, b''
        for piece in answer.iter_bytes():
            size += len(piece)
            if size > _MOST_BYTES:
                raise EngineFailed(f'{self.name}: more than {_MOST_BYTES} bytes for a sentence')
            held += piece
            if len(header) < 4:
                header = held[:4]
                if len(header) < 4:
                    continue
                self._check(header, answer.headers.get('content-type', ''))
            while header != b'RIFF' and len(held) >= _PIECE:
                yield Clip(held[:_PIECE], self._rate)
                held = held[_PIECE:]
        if not size:
            raise EngineFailed(f'{self.name}: it sent no sound')
        if header == b'RIFF':
            try:
                yield read_wave(held)
            except ValueError as error:
                raise EngineFailed(f'{self.name}: {error}') from None
        elif len(held) > 1:
            yield Clip(held[: len(held) // 2 * 2], self._rate)

    def _check(self, header: bytes, kind: str) -> None:
        found = next((form for mark, form in _FORMATS.items() if header.startswith(mark)), '')
        if not found and kind.split(';')[0].strip() in (
            'audio/mpeg', 'application/json', 'text/event-stream', 'text/html',
        ):  # fmt: skip
            found = kind
        if found:
            raise EngineFailed(
                f'{self.name}: it sent {found}, asked for was {self._wish["response_format"]}'
            )


def refusal(answer: httpx.Response) -> str:
    """Return why a server refused, in a line."""
    try:
        told = answer.json()
    except ValueError:
        told = answer.text
    if isinstance(told, dict):
        told = told.get('detail') or told.get('error') or told
        told = told.get('message', told) if isinstance(told, dict) else told
    return f'{answer.status_code} {" ".join(str(told).split())[:200]}'
