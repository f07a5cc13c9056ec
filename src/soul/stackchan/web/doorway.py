"""Where connections come in: few at a time, and only with a whole head of a request, in time.

Nothing of a connection reaches the server behind it before. Whoever opens many connections, or
sends a head byte by byte, costs a small buffer and is sent away.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

from soul.stackchan.web.limits import WebLimits

_END = b'\r\n\r\n'
_REFUSALS = {408: 'Request Timeout', 431: 'Request Header Fields Too Large'}


class Guests:
    """Who is connected, and from where."""

    def __init__(self, limits: WebLimits) -> None:
        self._limits = limits
        self._here: dict[asyncio.Transport, str] = {}

    def admit(self, transport: asyncio.Transport) -> bool:
        """Let a connection in, unless there are too many."""
        self._here = {one: host for one, host in self._here.items() if not one.is_closing()}
        peer = transport.get_extra_info('peername')
        host = str(peer[0]) if isinstance(peer, tuple) else ''
        if len(self._here) >= self._limits.connections:
            return False
        if Counter(self._here.values())[host] >= self._limits.per_host:
            return False
        self._here[transport] = host
        return True

    def send_away(self) -> None:
        """End all connections, whatever is under way on them."""
        for transport in self._here:
            transport.abort()
        self._here.clear()


class Doorway(asyncio.Protocol):
    """One connection until the head of its first request is there.

    Parameters
    ----------
    let_in
        Makes the protocol that serves it from then on.
    """

    def __init__(
        self, let_in: Callable[[], asyncio.Protocol], guests: Guests, limits: WebLimits
    ) -> None:
        self._let_in = let_in
        self._guests = guests
        self._limits = limits
        self._head = bytearray()
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the head."""
        self._transport = cast(asyncio.Transport, transport)
        if not self._guests.admit(self._transport):
            self._transport.abort()
            return
        _forget_the_silent(self._transport, self._limits.silent_seconds)
        self._timer = asyncio.get_running_loop().call_later(
            self._limits.head_seconds, self._refuse, 408
        )

    def data_received(self, data: bytes) -> None:
        """Take a piece of the head; once it is whole the server takes over."""
        if self._transport is None or self._transport.is_closing():
            return
        self._head += data
        end = self._head.find(_END)
        if end < 0 and len(self._head) <= self._limits.head_bytes:
            return
        if end < 0 or end > self._limits.head_bytes:
            self._refuse(431)
            return
        self._stop_waiting()
        inner = self._let_in()
        self._transport.set_protocol(inner)
        inner.connection_made(self._transport)
        inner.data_received(bytes(self._head))

    def connection_lost(self, error: Exception | None) -> None:
        """It has ended before it said anything."""
        self._stop_waiting()

    def _refuse(self, status: int) -> None:
        self._stop_waiting()
        if self._transport is not None:
            told = f'HTTP/1.1 {status} {_REFUSALS[status]}\r\n'
            self._transport.write(f'{told}Connection: close\r\nContent-Length: 0\r\n\r\n'.encode())
            self._transport.close()

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _forget_the_silent(transport: asyncio.Transport, seconds: float) -> None:
    """Let the system end a connection whose other end takes nothing any more."""
    connection: Any = transport.get_extra_info('socket')
    option = getattr(socket, 'TCP_USER_TIMEOUT', None)  # Linux
    if connection is not None and option is not None:
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, option, int(1000.0 * seconds))
