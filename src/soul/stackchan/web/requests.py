"""What handlers of requests have in common: the token, the body, a refusal."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse


class TooLarge(Exception):
    """A body is larger than allowed."""


def bearer(headers: Mapping[str, str]) -> str:
    """Return the token of a request; empty: it has none.

    The scheme may be written in any case of letters. A device sends what is stored in it as it
    is if there is a space in it, so a scheme of another name is no token.
    """
    scheme, _, token = headers.get('authorization', '').strip().partition(' ')
    return token.strip() if scheme.lower() == 'bearer' else ''


def same(sent: str, token: str) -> bool:
    """Whether two tokens are the same; how long it takes tells nothing. The empty one is none."""
    return bool(token) and hmac.compare_digest(
        sent.encode('utf-8', 'replace'), token.encode('utf-8', 'replace')
    )


async def body_of(request: Request, most: int) -> bytes:
    """Read a body of at most `most` bytes.

    Raises
    ------
    TooLarge
        If it is larger, or says that it will be.
    """
    announced = request.headers.get('content-length', '')
    if announced.isdecimal() and int(announced[:12]) > most:
        raise TooLarge
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > most:
            raise TooLarge
    return bytes(data)


def refusal(status: int, why: str) -> JSONResponse:
    """Say no, and why."""
    return JSONResponse({'error': why}, status_code=status)
