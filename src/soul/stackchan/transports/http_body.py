"""Body protocol v1: a body behind an HTTP adapter (POST /status, /look, /speak, /express)."""

from __future__ import annotations

import asyncio
import base64
import binascii
import ssl
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from soul.stackchan.pictures import BadPicture, as_jpeg
from soul.stackchan.transports.commands import (
    BodyCommand,
    CaptureCommand,
    FaceCommand,
    SayCommand,
)
from soul.stackchan.transports.events import (
    ActEnded,
    BodyAbout,
    LineLogged,
    PhotoTaken,
    SeenInWords,
    plain_text,
)
from soul.stackchan.transports.link import LinkNews
from soul.stackchan.transports.remote import RemoteBody
from soul.text.json_object import json_object

#: Capability -> the endpoint that it needs.
ENDPOINTS = {'tts': 'speak', 'cam': 'look', 'face': 'express'}
#: Largest answer that is read, bytes.
_MOST_BYTES = 8_000_000
_LONGEST_REASON = 64  # characters
_LONGEST_SIGHT = 1000  # characters
_STATUS_SECONDS = 5.0  # a body that does not say how it is within this is not there


class ActFailed(Exception):
    """The body answered that an act failed, or could not be asked: nothing happened."""


class HttpBody(RemoteBody):
    """A body behind an HTTP adapter.

    Parameters
    ----------
    url
        Where the adapter is.
    endpoints
        Which of status, look, speak and express it serves.
    token
        Sent as a bearer token; empty: none.
    timeout
        How long an act may take, s.
    period
        How often the adapter is asked whether its body is there, s.
    """

    def __init__(
        self,
        url: str,
        endpoints: tuple[str, ...],
        token: str,
        timeout: float,
        period: float,
        deliver: Callable[[LinkNews], None],
    ) -> None:
        super().__init__('http_port', deliver)
        self._url = url
        self._capabilities = tuple(c for c, e in ENDPOINTS.items() if e in endpoints)
        self._asks_status = 'status' in endpoints
        self._token = token
        self._timeout = timeout
        self._period = period
        self._client: httpx.AsyncClient | None = None
        self._tls: ssl.SSLContext | None = None  # one for all openings: it is large and slow
        self._mouth = asyncio.Lock()

    async def meet(self) -> BodyAbout:
        """Ask whether the body is there."""
        if not self._url.startswith(('http://', 'https://')):
            raise OSError(f'http_url is {self._url!r}, not the URL of a body')
        headers = {'Authorization': f'Bearer {self._token}'} if self._token else {}
        # A body is asked directly, never through a proxy of the environment.
        if self._tls is None:
            self._tls = httpx.create_ssl_context()
        self._client = httpx.AsyncClient(
            base_url=self._url, headers=headers, timeout=self._timeout, trust_env=False,
            verify=self._tls,
        )  # fmt: skip
        await self._status()
        boot = uuid.uuid4().hex[:8]
        where = httpx.URL(self._url)  # never with a user and a password
        uid = f'{where.host}:{where.port or where.scheme}'
        return BodyAbout(uid, 'body protocol v1', boot, self._capabilities)

    async def stay(self) -> None:
        """Ask again and again; twice no answer, or an honest no, and the body is gone."""
        missed = 0
        while True:
            await asyncio.sleep(self._period)
            try:
                await self._status()
                missed = 0
            except TimeoutError:
                missed += 1
                if missed > 1:
                    raise

    async def act(self, id: str, command: BodyCommand) -> None:
        """Do it; the answer decides how it ended."""
        match command:
            case SayCommand(text=text):
                async with self._mouth:
                    await self._conclude(id, self._ask('/speak', {'text': text}))
            case CaptureCommand(question=question):
                await self._conclude(id, self._look(id, question))
            case FaceCommand(name=name):  # nobody waits for it
                await self._conclude('', self._ask('/express', {'emotion': name}))

    async def leave(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    # --- asking ---------------------------------------------------------------------------

    async def _status(self) -> None:
        if not self._asks_status:
            return
        try:
            answer = await self._ask('/status', {}, _STATUS_SECONDS)
        except ActFailed as error:
            raise OSError(f'the adapter: {error}') from error
        if answer.get('online') is not True:
            raise OSError('the adapter says that its body is not online')

    async def _conclude(self, id: str, act: Any) -> None:
        try:
            await act
        except ActFailed as error:
            if id:
                why = plain_text(str(error), _LONGEST_REASON)
                self.tell(ActEnded(id, ok=False, why=why))
            else:
                self.tell(LineLogged(plain_text(f'not shown: {error}', 300), warn=True))
        else:
            if id:
                self.tell(ActEnded(id, ok=True))

    async def _look(self, id: str, question: str) -> None:
        answer = await self._ask('/look', {'question': question})
        if isinstance(answer.get('image'), str):
            # decoding takes a while, and the body is asked how it is meanwhile
            self.tell(PhotoTaken(await asyncio.to_thread(_jpeg, answer['image'])))
        elif isinstance(answer.get('text'), str):
            self.tell(SeenInWords(id, plain_text(answer['text'], _LONGEST_SIGHT)))
        else:
            raise ActFailed('the answer has neither an image nor a text')

    async def _ask(
        self, path: str, body: Mapping[str, Any], seconds: float | None = None
    ) -> Mapping[str, Any]:
        """Ask the adapter.

        Raises
        ------
        ActFailed
            If nothing happened.
        OSError
            If nobody knows whether something happened.
        """
        assert self._client is not None
        try:
            async with self._client.stream(
                'POST', path, json=body, timeout=seconds or self._timeout
            ) as response:
                text = b''
                async for piece in response.aiter_bytes():
                    text += piece
                    if len(text) > _MOST_BYTES:
                        raise ActFailed('the answer is too large')
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
            raise ActFailed(f'it cannot be reached: {error or type(error).__name__}') from error
        except httpx.TimeoutException as error:
            raise TimeoutError(f'no answer to {path} in time') from error
        except httpx.HTTPError as error:
            raise OSError(f'{path} broke off: {error or type(error).__name__}') from error
        return _sound(response.status_code, text)


def _sound(status: int, text: bytes) -> Mapping[str, Any]:
    answer = json_object(text) if text.strip() else {}  # it may be a page of HTML
    told = answer.get('error') if isinstance(answer, dict) else None
    if not 200 <= status < 300:
        raise ActFailed(f'HTTP {status}' + (f': {told}' if told else ''))
    if told:
        raise ActFailed(str(told))
    if not isinstance(answer, dict):
        raise ActFailed('the answer is no JSON object')
    return answer


def _jpeg(b64: str) -> bytes:
    """The picture as JPEG, whatever it came as."""
    try:
        return as_jpeg(base64.b64decode(b64.partition(',')[2] if b64.startswith('data:') else b64))
    except (binascii.Error, ValueError) as error:
        why = f': {error}' if isinstance(error, BadPicture) else ''
        raise ActFailed(f'the answer has no sound image{why}') from error
