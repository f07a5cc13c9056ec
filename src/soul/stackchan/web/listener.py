"""Serves an application on sockets, within an event loop that somebody else runs."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import anyio
import uvicorn
from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from soul.stackchan.web.doorway import Doorway, Guests
from soul.stackchan.web.limits import WebLimits

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_LOG = logging.getLogger('uvicorn.error')
#: What uvicorn says, as an error, of each dial that was refused.
_REFUSED = 'ASGI callable returned without completing handshake'


def _is_news(record: logging.LogRecord) -> bool:
    return _REFUSED not in record.getMessage()


class WebListener:
    """Takes connections on any number of sockets; all of it on the loop's thread."""

    def __init__(self, app: App, limits: WebLimits | None = None) -> None:
        self._limits = limits or WebLimits()
        self._config = uvicorn.Config(
            OneRequest(app, self._limits.request_seconds),
            http=H11Protocol, ws='websockets-sansio', lifespan='off',
            log_config=None, access_log=False, server_header=False, date_header=False,
            h11_max_incomplete_event_size=self._limits.head_bytes,
            ws_max_size=self._limits.message_bytes, ws_per_message_deflate=False,
            # Some devices never answer a ping: whether one lives, its own words tell.
            ws_ping_interval=None, ws_ping_timeout=None,
        )  # fmt: skip
        self._config.load()
        if _LOG.level == logging.NOTSET:  # what strangers get wrong is nothing for people to read
            _LOG.setLevel(logging.ERROR)
        _LOG.addFilter(_is_news)
        self._state = ServerState()
        self._guests = Guests(self._limits)
        self._servers: list[asyncio.Server] = []

    async def open(self, at: socket.socket) -> asyncio.Server:
        """Take connections on a socket that is bound; returns what to close."""
        server = await asyncio.get_running_loop().create_server(self._doorway, sock=at)
        self._servers.append(server)
        return server

    async def close(self) -> None:
        """Take none any more, and end those that there are."""
        for server in self._servers:
            server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        tasks = list(self._state.tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._guests.send_away()
        # What has been aborted is told so in the next round of the loop.
        await asyncio.sleep(0)

    def _doorway(self) -> Doorway:
        return Doorway(self._inside, self._guests, self._limits)

    def _inside(self) -> asyncio.Protocol:
        return H11Protocol(self._config, self._state, {})


class OneRequest:
    """One request a connection, answered in time."""

    def __init__(self, app: App, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a request as the application does."""
        if scope['type'] != 'http':
            await self._app(scope, receive, send)
            return
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            if message['type'] == 'http.response.start':
                started = True
                message['headers'] = [*message.get('headers', ()), (b'connection', b'close')]
            await send(message)

        with anyio.move_on_after(self._seconds) as patience:
            try:
                await self._app(scope, receive, answer)
            except ClientDisconnect:  # nobody is left to be answered
                return
        if patience.cancelled_caught and not started:
            headers = [(b'content-length', b'0')]
            await answer({'type': 'http.response.start', 'status': 408, 'headers': headers})
            await send({'type': 'http.response.body', 'body': b''})
