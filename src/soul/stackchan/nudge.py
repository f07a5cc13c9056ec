"""Takes nudges: POST /nudge {"reason": "..."} on this machine wakes her, as body protocol v1 says.

Whoever sends it gets an answer when the heart has given one: 200 accepted or not, 503 where
nobody answers. Pages in a browser cannot send any: a nudge is JSON and has no origin.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from soul.signals import NudgeAnswer

_MOST_BYTES = 16_384
_LONGEST_REASON = 500
_ANSWER_SECONDS = 10.0
#: At most so many nudges in so many seconds: an adapter that nudges on every frame is refused.
_MOST, _WITHIN = 10, 60.0

#: Hands a reason over to the driver; the future gets the heart's answer, or None.
Nudge = Callable[[str, 'Future[NudgeAnswer | None]'], None]


class NudgeServer:
    """An HTTP server on loopback, on a thread of its own.

    Parameters
    ----------
    port
        0: any free one; see :attr:`port`.
    token
        Asked for as a bearer token; empty: none is needed.

    Raises
    ------
    OSError
        If the port cannot be had.
    """

    def __init__(self, port: int, token: str, nudge: Nudge) -> None:
        self._token = token
        self._nudge = nudge
        self._recent: deque[float] = deque(maxlen=_MOST)
        self._socket = socket.create_server(('127.0.0.1', port))
        self.port: int = self._socket.getsockname()[1]
        app = Starlette(routes=[Route('/nudge', self._take, methods=['POST'])])
        config = uvicorn.Config(app, log_config=None, access_log=False, lifespan='off')
        self._server = _Quiet(config)
        self._thread = threading.Thread(target=self._run, name='nudge', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it and join its thread."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    async def _take(self, request: Request) -> JSONResponse:
        sent = request.headers.get('authorization', '').encode()
        if self._token and not hmac.compare_digest(sent, f'Bearer {self._token}'.encode()):
            return _refusal(401, 'a token is needed')
        kind = request.headers.get('content-type', '').partition(';')[0].strip().lower()
        if kind != 'application/json' or 'origin' in request.headers:
            return _refusal(415, 'a nudge is JSON, and from no web page')
        text = b''
        async for piece in request.stream():
            text += piece
            if len(text) > _MOST_BYTES:
                return _refusal(413, 'too large')
        try:
            body = json.loads(text)
        except ValueError:
            return _refusal(400, 'that is no JSON')
        reason = body.get('reason') if isinstance(body, dict) else None
        if not isinstance(reason, str) or not reason.strip():
            return _refusal(400, 'reason is missing: what happened, in natural language')
        now = time.monotonic()
        if len(self._recent) == _MOST and now - self._recent[0] < _WITHIN:
            return _refusal(429, 'too many nudges')
        self._recent.append(now)
        answer: Future[NudgeAnswer | None] = Future()
        self._nudge(reason.strip()[:_LONGEST_REASON], answer)
        try:
            told = await asyncio.wait_for(asyncio.wrap_future(answer), _ANSWER_SECONDS)
        except asyncio.TimeoutError:
            told = None
        if told is None:
            return _refusal(503, 'the heart does not answer')
        return JSONResponse({'accepted': told.accepted, 'reason': told.reason})


class _Quiet(uvicorn.Server):
    """A server that leaves the signals of its process alone."""

    def install_signal_handlers(self) -> None:
        """Not on a thread."""


def _refusal(status: int, why: str) -> JSONResponse:
    return JSONResponse({'error': why}, status_code=status)
