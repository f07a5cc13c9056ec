"""The device's end of a WebSocket: it dials the driver, and dials again, on a thread of its own.

The model lives by the node's clock; how soon it dials again is a matter of real sockets.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from soul.mock_body.calls import DialEvent, Dialled, HungUp, Posted, Said

_REDIAL = 0.25  # s
_REDIAL_MOST = 5.0
_CLOSE = 2.0  # s
_POST = 10.0  # s
_MOST_WAITING = 1000  # messages for a host that does not read; what comes on top is dropped


class Dialler:
    """Dials as long as it is plugged in.

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
        self._headers = dict(headers)
        self._deliver = deliver
        self._call = 0
        self._dialling: asyncio.Task[None] | None = None
        self._socket: ClientConnection | None = None
        self._outbox: asyncio.Queue[str] = asyncio.Queue(_MOST_WAITING)
        self._posts: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name='dialler', daemon=True)
        self._thread.start()

    # --- the device's side ----------------------------------------------------------------

    def plug(self) -> None:
        """Dial from now on."""
        self._loop.call_soon_threadsafe(self._begin)

    def unplug(self) -> None:
        """Hang up, and dial no more."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()

    def hang_up(self) -> None:
        """Hang up; it dials again."""
        self._loop.call_soon_threadsafe(self._drop)

    def write(self, text: str) -> None:
        """Say something; never blocks."""
        self._loop.call_soon_threadsafe(self._put, text)

    def clear(self) -> None:
        """Drop what has not been sent yet."""
        self._loop.call_soon_threadsafe(self._empty)

    def post(self, url: str, token: str, question: str, jpeg: bytes, id: int) -> None:
        """Post a photo; the answer comes as an event."""
        self._loop.call_soon_threadsafe(self._post, url, token, question, jpeg, id)

    def close(self) -> None:
        """Hang up and join the thread."""
        self.unplug()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # --- the loop's thread ----------------------------------------------------------------

    def _begin(self) -> None:
        if self._dialling is None:
            self._dialling = self._loop.create_task(self._dial())

    async def _end(self) -> None:
        dialling, self._dialling = self._dialling, None
        tasks = [*self._posts, *([dialling] if dialling else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.transport.abort()

    def _put(self, text: str) -> None:
        if self._socket is not None and not self._outbox.full():
            self._outbox.put_nowait(text)

    def _empty(self) -> None:
        while not self._outbox.empty():
            self._outbox.get_nowait()

    async def _dial(self) -> None:
        wait = _REDIAL
        while True:
            try:
                async with connect(
                    self._url(), additional_headers=self._headers, compression=None,
                    close_timeout=_CLOSE, open_timeout=_CLOSE, proxy=None,
                ) as socket:  # fmt: skip
                    wait = _REDIAL
                    await self._talk(socket)
            except (OSError, InvalidHandshake, InvalidURI, ConnectionClosed):
                pass  # nobody is there, or no more: it dials again
            await asyncio.sleep(wait)
            wait = min(2.0 * wait, _REDIAL_MOST)

    async def _talk(self, socket: ClientConnection) -> None:
        self._call += 1
        call = self._call
        self._empty()
        self._socket = socket
        sending = self._loop.create_task(self._send(socket))
        self._deliver(Dialled(call))
        try:
            async for message in socket:
                if isinstance(message, str):
                    self._deliver(Said(call, message))
        finally:
            self._socket = None
            sending.cancel()
            await asyncio.wait([sending])
            self._deliver(HungUp(call))

    async def _send(self, socket: ClientConnection) -> None:
        try:
            while True:
                await socket.send(await self._outbox.get())
        except ConnectionClosed:
            pass  # whoever reads notices

    def _post(self, url: str, token: str, question: str, jpeg: bytes, id: int) -> None:
        task = self._loop.create_task(self._posting(self._call, url, token, question, jpeg, id))
        self._posts.add(task)
        task.add_done_callback(self._posts.discard)

    async def _posting(
        self, call: int, url: str, token: str, question: str, jpeg: bytes, id: int
    ) -> None:
        try:
            async with httpx.AsyncClient(timeout=_POST, trust_env=False) as client:
                answer = await client.post(
                    url,
                    headers={'Authorization': f'Bearer {token}'},
                    data={'question': question},
                    files={'file': ('camera.jpg', jpeg, 'image/jpeg')},
                )
            told = Posted(call, id, answer.text, answer.is_success)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            told = Posted(call, id, f'the photo could not be posted: {error}', False)
        self._deliver(told)
