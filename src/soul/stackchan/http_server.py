"""A small HTTP server on a thread of its own, for what comes to the driver that way."""

from __future__ import annotations

import asyncio
import hmac
import socket
import threading
from collections.abc import Sequence

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


class TooLarge(Exception):
    """A body is larger than allowed."""


class HttpServer:
    """Serves routes until it is closed.

    Parameters
    ----------
    port
        0: any free one; see :attr:`port`.
    name
        Of its thread.

    Raises
    ------
    OSError
        If the port cannot be had.
    """

    def __init__(self, host: str, port: int, routes: Sequence[Route], name: str) -> None:
        self._socket = socket.create_server((host, port))
        self.port: int = self._socket.getsockname()[1]
        app = Starlette(routes=list(routes))
        config = uvicorn.Config(app, log_config=None, access_log=False, lifespan='off')
        self._server = _Quiet(config)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it and join its thread."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))


def carries(request: Request, token: str) -> bool:
    """Whether a request has the bearer token; any has the empty one."""
    sent = request.headers.get('authorization', '').encode()
    return not token or hmac.compare_digest(sent, f'Bearer {token}'.encode())


async def body_of(request: Request, most: int) -> bytes:
    """Read a body of at most `most` bytes.

    Raises
    ------
    TooLarge
        If it is larger.
    """
    data = b''
    async for piece in request.stream():
        data += piece
        if len(data) > most:
            raise TooLarge
    return data


def refusal(status: int, why: str) -> JSONResponse:
    """Say no, and why."""
    return JSONResponse({'error': why}, status_code=status)


class _Quiet(uvicorn.Server):
    """A server that leaves the signals of its process alone."""

    def install_signal_handlers(self) -> None:
        """Not on a thread."""
