"""A body with the xiaozhi firmware: it dials our WebSocket server.

What she says is shown on its screen for as long as it takes to read it aloud; its microphone's
words come as text, its sound as Opus. There is one body: a device that dials anew takes the place
of its own earlier connection, another one is sent away.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from soul.stackchan.transports import opus
from soul.stackchan.transports.commands import BodyCommand
from soul.stackchan.transports.events import BodyAbout, plain_text
from soul.stackchan.transports.first_completed import first_completed
from soul.stackchan.transports.link import LinkNews
from soul.stackchan.transports.photos import PATH, PhotoServer
from soul.stackchan.transports.remote import RemoteBody
from soul.stackchan.transports.xiaozhi_body import XiaozhiBody
from soul.stackchan.transports.xiaozhi_link import XiaozhiLink

_MOST_BYTES = 65_536
_PING = 3.0  # s


@dataclass(frozen=True)
class Listening:
    """How to listen for a device.

    `port` and `photo_port` 0: any free one. `token` is asked for as a bearer token, empty: none is
    needed. `rate` is in characters of speech per second. `library` is the path of libopus, empty:
    where the system has it.
    """

    host: str = '127.0.0.1'
    port: int = 0
    photo_port: int = 0
    token: str = ''
    rate: float = 14.0
    photo_seconds: float = 4.0
    library: str = ''


class XiaozhiServer(RemoteBody):
    """The server that a body dials.

    Parameters
    ----------
    known
        Is told the port once it is known; called on the thread.
    """

    def __init__(
        self,
        how: Listening,
        known: Callable[[int], None],
        deliver: Callable[[LinkNews], None],
    ) -> None:
        super().__init__('xiaozhi_port', deliver)
        self._how = how
        self._known = known
        self._server: Server | None = None
        self._photos: PhotoServer | None = None
        self._library: opus.Opus | str = ''
        self._link: XiaozhiLink | None = None  # who is there
        self._body: XiaozhiBody | None = None  # who the driver knows
        self._there = asyncio.Event()

    # --- the body -----------------------------------------------------------------------

    async def meet(self) -> BodyAbout:
        """Listen, and wait until a device has dialled."""
        if self._server is None:
            await self._listen()
        while (link := self._link) is None:
            await self._there.wait()
        how = self._how
        self._body = XiaozhiBody(link, how.rate, how.photo_seconds, self._library, self.tell)
        device = plain_text(link.device, 64) or 'xiaozhi'
        return BodyAbout(
            device, 'xiaozhi', device, self._body.capabilities, self._body.tools.limits
        )

    async def stay(self) -> None:
        """Be with the device until it hangs up."""
        body = self._present()
        await first_completed([self._until_gone(body.link), *body.following()])

    async def act(self, id: str, command: BodyCommand) -> None:
        """Do it."""
        await self._present().act(id, command)

    async def freeze(self) -> None:
        """Be silent, and stay where the head is."""
        if self._body is not None:
            await self._body.freeze()

    async def leave(self) -> None:
        """Let go of the body; the device stays on the line."""
        body, self._body = self._body, None
        if body is not None:
            body.close()

    async def release(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        if self._photos is not None:
            await self._loop.run_in_executor(None, self._photos.close)

    def _present(self) -> XiaozhiBody:
        if self._body is None:
            raise ConnectionResetError('the device hung up')
        return self._body

    # --- the server -----------------------------------------------------------------------

    async def _listen(self) -> None:
        how = self._how
        try:
            self._library = opus.Opus(how.library)
        except OSError as error:
            self._library = str(error)
        if self._photos is None:
            self._photos = PhotoServer(how.host, how.photo_port, self._photo)
        self._server = await serve(
            self._serve_device, how.host, how.port, process_request=self._check,
            max_size=_MOST_BYTES, ping_interval=_PING, ping_timeout=_PING, compression=None,
        )  # fmt: skip
        self._known(self._server.sockets[0].getsockname()[1])

    def _check(self, socket: ServerConnection, request: Request) -> Response | None:
        sent, token = request.headers.get('Authorization', '').encode(), self._how.token
        if token and not hmac.compare_digest(sent, f'Bearer {token}'.encode()):
            return socket.respond(HTTPStatus.UNAUTHORIZED, 'a token is needed\n')
        return None

    def _vision(self, host: str) -> str:
        if self._photos is None or not host:
            return ''
        return f'http://{f"[{host}]" if ":" in host else host}:{self._photos.port}{PATH}'

    def _photo(self, token: str, jpeg: bytes) -> bool:
        """Take a photo on the thread of its server."""
        body = self._body
        if body is None or not hmac.compare_digest(token.encode(), body.link.photo_token.encode()):
            return False
        self._loop.call_soon_threadsafe(body.take_photo, jpeg)
        return True

    async def _serve_device(self, socket: ServerConnection) -> None:
        link = XiaozhiLink(
            socket,
            lambda data: self._hear(link, data),
            lambda packet: self._hear_sound(link, packet),
            self._vision,
        )
        before = self._link
        if before is not None and before.device != link.device:
            await link.hang_up('another body is here')
            return
        reading = asyncio.ensure_future(link.read())
        try:
            await link.greet()
            forgotten, self._link = self._link, link
            if forgotten is not None:
                forgotten.gone.set()
                await forgotten.hang_up('dialled anew')
            self._there.set()
            await asyncio.wait([reading])
        except OSError:
            await link.hang_up('no hello')
        finally:
            reading.cancel()
            self._gone_is(link)

    def _gone_is(self, link: XiaozhiLink) -> None:
        link.gone.set()
        if self._link is link:
            self._link = None
            self._there.clear()

    async def _until_gone(self, link: XiaozhiLink) -> None:
        await link.gone.wait()
        raise ConnectionResetError('the device hung up')

    def _hear(self, link: XiaozhiLink, data: Mapping[str, Any]) -> None:
        if self._body is not None and self._body.link is link and self._link is link:
            self._body.hear(data)

    def _hear_sound(self, link: XiaozhiLink, packet: bytes) -> None:
        if self._body is not None and self._body.link is link:
            self._body.hear_sound(packet)
