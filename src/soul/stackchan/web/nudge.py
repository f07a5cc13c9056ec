"""Takes nudges: POST /nudge {"reason": "..."} on this machine wakes her, as body protocol v1 says.

Whoever sends it gets an answer when the heart has given one: 200 accepted or not, 503 where
nobody answers. Pages in a browser cannot send any: a nudge is JSON and has no origin.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from soul.signals import NudgeAnswer
from soul.stackchan.web.http_server import HttpServer
from soul.stackchan.web.limits import WebLimits
from soul.stackchan.web.requests import TooLarge, bearer, body_of, refusal, same
from soul.text.json_object import json_object

_MOST_BYTES = 16_384
_LONGEST_REASON = 500
_ANSWER_SECONDS = 10.0
#: At most so many nudges in so many seconds: an adapter that nudges on every frame is refused.
_MOST, _WITHIN = 10, 60.0

#: Hands a reason over to the driver; the future gets the heart's answer, or None.
Nudge = Callable[[str, 'Future[NudgeAnswer | None]'], None]


class NudgeServer(HttpServer):
    """An HTTP server on loopback.

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

    def __init__(
        self, port: int, token: str, nudge: Nudge, limits: WebLimits | None = None
    ) -> None:
        self._token = token
        self._nudge = nudge
        self._recent: deque[float] = deque(maxlen=_MOST)
        routes = [Route('/nudge', self._take, methods=['POST'])]
        super().__init__('127.0.0.1', port, routes, 'nudge', limits)

    async def _take(self, request: Request) -> JSONResponse:
        if self._token and not same(bearer(request.headers), self._token):
            return refusal(401, 'a token is needed')
        kind = request.headers.get('content-type', '').partition(';')[0].strip().lower()
        if kind != 'application/json' or 'origin' in request.headers:
            return refusal(415, 'a nudge is JSON, and from no web page')
        try:
            body = json_object(await body_of(request, _MOST_BYTES))
        except TooLarge:
            return refusal(413, 'too large')
        if body is None:
            return refusal(400, 'that is no JSON object')
        reason = body.get('reason')
        if not isinstance(reason, str) or not reason.strip():
            return refusal(400, 'reason is missing: what happened, in natural language')
        now = time.monotonic()
        if len(self._recent) == _MOST and now - self._recent[0] < _WITHIN:
            return refusal(429, 'too many nudges')
        self._recent.append(now)
        answer: Future[NudgeAnswer | None] = Future()
        self._nudge(reason.strip()[:_LONGEST_REASON], answer)
        try:
            told = await asyncio.wait_for(asyncio.wrap_future(answer), _ANSWER_SECONDS)
        except asyncio.TimeoutError:
            told = None
        if told is None:
            return refusal(503, 'the heart does not answer')
        return JSONResponse({'accepted': told.accepted, 'reason': told.reason})
