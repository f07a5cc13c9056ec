"""The device's end of a WebSocket: it dials the driver, on a thread of its own.

The model lives by the node's clock; how soon it dials again is a matter of real sockets.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.frames import Frame, Opcode

from soul.mock_body.calls import DialEvent, Dialled, HungUp, Posted, Said, SoundSaid
from soul.mock_body.photo_form import CONTENT_TYPE, pieces

_REDIAL = 0.25  # s
_REDIAL_MOST = 5.0
_CLOSE = 2.0  # s
_POST = 10.0  # s
_MOST_WAITING = 1000  # messages for a host that does not read; what comes on top is dropped


class Dialler:
    """Dials as long as it is plugged in, and again whenever the connection has ended.

    Parameters
    ----------
    url
        Where to dial; called on the thread, may raise OSError.
    headers
        What the device says of itself when it dials.
    deliver
        Is told what happens; called on the thread.
    """

    def __init__(
        self,
        url: Callable[[], str],
        headers: Mapping[str, str],
        deliver: Callable[[DialEvent], None],
    ) -> None:
        self._url = url
        self.headers = dict(headers)
        self.deliver = deliver
        self.loop = asyncio.new_event_loop()
        self._call = 0
        self._dialling: asyncio.Task[None] | None = None
        self._socket: ClientConnection | None = None
        self._outbox: asyncio.Queue[str | bytes] = asyncio.Queue(_MOST_WAITING)
        self._others: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self.loop.run_forever, name='dialler', daemon=True)
        self._thread.start()

    # --- the device's side ----------------------------------------------------------------

    def plug(self) -> None:
        """Dial from now on."""
        self.loop.call_soon_threadsafe(self._begin)

    def unplug(self) -> None:
        """Hang up, and dial no more."""
        asyncio.run_coroutine_threadsafe(self._end(), self.loop).result()

    def boot(self) -> None:
        """Hang up; it dials again."""
        self.hang_up(True)

    def wake(self) -> None:
        """Do nothing: it dials by itself."""

    def hang_up(self, cut: bool) -> None:
        """Hang up, in all manners or as if the cable were cut."""
        self.loop.call_soon_threadsafe(self._drop, cut)

    def write(self, message: str | bytes) -> None:
        """Say something; never blocks."""
        self.loop.call_soon_threadsafe(self._put, message)

    def clear(self) -> None:
        """Drop what has not been sent yet."""
        self.loop.call_soon_threadsafe(self._empty)

    def post(self, url: str, token: str, question: str, jpeg: bytes, id: int) -> None:
        """Post a photo; the answer comes as an event."""
        self.loop.call_soon_threadsafe(
            lambda: self.do(self._posting(self._call, url, token, question, jpeg, id))
        )

    def close(self) -> None:
        """Hang up and join the thread."""
        self.unplug()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    # --- the loop's thread ----------------------------------------------------------------

    async def live(self) -> None:
        """Dial for ever; what a subclass does otherwise."""
        wait = _REDIAL
        while True:
            if await self.dial(self._url):
                wait = _REDIAL
            await asyncio.sleep(wait)
            wait = min(2.0 * wait, _REDIAL_MOST)

    async def dial(self, url: Callable[[], str]) -> bool:
        """Dial, and be there until the connection ends; returns whether there was one."""
        there = False
        try:
            async with connect(
                url(), additional_headers=self.headers, compression=None, ping_interval=None,
                close_timeout=_CLOSE, open_timeout=_CLOSE, proxy=None,
                create_connection=_Deaf,
            ) as socket:  # fmt: skip
                there = True
                await self._talk(socket)
        except (OSError, InvalidHandshake, InvalidURI, ConnectionClosed):
            pass  # nobody is there, or no more
        return there

    def do(self, work: Any) -> None:
        """Do something beside."""
        task = self.loop.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    def _begin(self) -> None:
        if self._dialling is None:
            self._dialling = self.loop.create_task(self.live())

    async def _end(self) -> None:
        dialling, self._dialling = self._dialling, None
        tasks = [*self._others, *([dialling] if dialling else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    @property
    def talks(self) -> bool:
        """Whether there is a connection that is not about to end."""
        return self._socket is not None

    def _drop(self, cut: bool) -> None:
        socket, self._socket = self._socket, None
        if socket is not None and cut:
            socket.transport.abort()
        elif socket is not None:
            self.do(socket.close())

    def _put(self, message: str | bytes) -> None:
        if self._socket is not None and not self._outbox.full():
            self._outbox.put_nowait(message)

    def _empty(self) -> None:
        while not self._outbox.empty():
            self._outbox.get_nowait()

    async def _talk(self, socket: ClientConnection) -> None:
        self._call += 1
        call = self._call
        self._empty()
        self._socket = socket
        sending = self.loop.create_task(self._send(socket))
        self.deliver(Dialled(call))
        try:
            async for message in socket:
                if isinstance(message, str):
                    self.deliver(Said(call, message))
                else:
                    self.deliver(SoundSaid(call, message))
        finally:
            self._socket = None
            sending.cancel()
            await asyncio.wait([sending])
            self.deliver(HungUp(call))

    async def _send(self, socket: ClientConnection) -> None:
        try:
            while True:
                await socket.send(await self._outbox.get())
        except ConnectionClosed:
            pass  # whoever reads notices

    async def _posting(
        self, call: int, url: str, token: str, question: str, jpeg: bytes, id: int
    ) -> None:
        headers = {
            'Authorization': f'Bearer {token}', 'Content-Type': CONTENT_TYPE,
            'Device-Id': self.headers.get('Device-Id', ''),
            'Client-Id': self.headers.get('Client-Id', ''),
        }  # fmt: skip
        try:
            async with httpx.AsyncClient(timeout=_POST, trust_env=False) as client:
                answer = await client.post(url, headers=headers, content=pieces(question, jpeg))
            told = Posted(call, id, answer.text, answer.is_success)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            told = Posted(call, id, f'the photo could not be posted: {error}', False)
        self.deliver(told)


class _Deaf(ClientConnection):
    """A connection that never answers a ping, as some devices do not."""

    def __init__(self, protocol: Any, **how: Any) -> None:
        send = protocol.send_frame

        def send_but_pongs(frame: Frame) -> None:
            if frame.opcode is not Opcode.PONG:
                send(frame)

        protocol.send_frame = send_but_pongs
        super().__init__(protocol, **how)
