"""A small HTTP server on a thread of its own, for what comes to the driver that way."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.routing import Route

from soul.stackchan.web.limits import WebLimits
from soul.stackchan.web.listener import WebListener


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

    def __init__(
        self,
        host: str,
        port: int,
        routes: Sequence[Route],
        name: str,
        limits: WebLimits | None = None,
    ) -> None:
        at = socket.create_server((host, port))
        self.port: int = at.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._listener = WebListener(Starlette(routes=list(routes)), limits)
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listener.open(at), self._loop).result()

    def close(self) -> None:
        """End it and join its thread."""
        asyncio.run_coroutine_threadsafe(self._listener.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
