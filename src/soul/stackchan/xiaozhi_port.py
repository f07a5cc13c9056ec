"""A body with the xiaozhi firmware: it dials our WebSocket server.

What she says is shown on its screen for as long as it takes to read it aloud; its microphone's
words come as text. There is one body: a device that dials anew takes the place of its own earlier
connection, another one is sent away.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from soul.stackchan.bridge import Bridge
from soul.stackchan.emulated import About
from soul.stackchan.link import LinkEvent
from soul.stackchan.race import first_to_end
from soul.stackchan.xiaozhi_link import ToolFailed, XiaozhiLink
from soul.stackchan.xiaozhi_tools import EMOTIONS, Tools, angles
from soul.wire import schema

_POLL = 0.2  # s between two readings of the head
_MOVED = 0.5  # degrees between two readings: it moves
_MOST_BYTES = 65_536
_PING = 3.0  # s


class XiaozhiPort(Bridge):
    """A port that is a server.

    Parameters
    ----------
    host, port
        Where to listen; port 0: any free one.
    token
        Asked for as a bearer token; empty: none is needed.
    rate
        Characters of speech per second.
    listening
        Is told the port once it is known; called on the thread.
    """

    def __init__(
        self,
        host: str,
        port: int,
        token: str,
        rate: float,
        listening: Callable[[int], None],
        deliver: Callable[[LinkEvent], None],
    ) -> None:
        super().__init__('xiaozhi_port', deliver)
        self._host = host
        self._number = port
        self._token = token
        self._rate = rate
        self._listening = listening
        self._server: Server | None = None
        self._link: XiaozhiLink | None = None  # who is there
        self._body: XiaozhiLink | None = None  # who the driver knows
        self._tools = Tools({})
        self._there = asyncio.Event()
        self._turn: schema.Head | None = None  # the newest wish
        self._wished = asyncio.Event()
        self._pose: tuple[float, float] | None = None  # degrees
        self._torque = True
        self._speaking: asyncio.Future[None] | None = None
        self._mouth = asyncio.Lock()

    # --- the bridge -----------------------------------------------------------------------

    async def meet(self) -> About:
        """Listen, and wait until a device has dialled."""
        if self._server is None:
            self._server = await serve(
                self._serve_device, self._host, self._number, process_request=self._check,
                max_size=_MOST_BYTES, ping_interval=_PING, ping_timeout=_PING, compression=None,
            )  # fmt: skip
            self._listening(self._server.sockets[0].getsockname()[1])
        while (link := self._link) is None:
            await self._there.wait()
        self._body = link
        self._tools = Tools(link.tools)
        self._turn = self._pose = None
        device = link.device or 'xiaozhi'
        return About(device, 'xiaozhi', device, self._tools.capabilities, self._tools.limits)

    async def stay(self) -> None:
        """Follow the head until the device hangs up."""
        link = self._body
        if link is None:
            raise ConnectionResetError('the device hung up')
        following = [self._until_gone(link)]
        if 'head' in self._tools.capabilities:
            following += [self._follow(link), self._turn_head(link)]
        await first_to_end(following)

    async def perform(self, command: schema.Command) -> None:
        """Do it."""
        link = self._body
        if link is None:
            raise ConnectionResetError('the device hung up')
        if isinstance(command, schema.Head):
            self._turn = command
            self._wished.set()
        elif isinstance(command, schema.Say):
            async with self._mouth:
                await self._show(link, command)
        elif isinstance(command, schema.Face):
            emotion = EMOTIONS.get(command.name, 'neutral')
            await link.send('llm', emotion=emotion, text='')
        elif isinstance(command, schema.Torque):
            await self._hold(link, command.on)
        elif isinstance(command, schema.Spk) and command.op == 'abort':
            self._hush('aborted')

    async def halt(self) -> None:
        """Be silent, and stay where the head is."""
        link = self._body
        self._turn = None
        if link is None:
            return
        await link.send('tts', state='stop')
        if self._pose is not None and self._tools.turn_head:
            here = schema.Head(t='head', q=0, yaw=10.0 * self._pose[0], pitch=10.0 * self._pose[1])
            await self._try(link, self._tools.turn_head, self._tools.turn(here))

    async def release(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    # --- the server -----------------------------------------------------------------------

    def _check(self, socket: ServerConnection, request: Request) -> Response | None:
        sent = request.headers.get('Authorization', '').encode()
        if self._token and not hmac.compare_digest(sent, f'Bearer {self._token}'.encode()):
            return socket.respond(HTTPStatus.UNAUTHORIZED, 'a token is needed\n')
        return None

    async def _serve_device(self, socket: ServerConnection) -> None:
        link = XiaozhiLink(socket, lambda data: self._hear(link, data))
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
        if self._link is not link:
            return
        text, touch = data.get('text'), data.get('touch')
        if data.get('type') == 'listen' and data.get('state') == 'detect':
            if isinstance(text, str) and text.strip():
                self.say('heard', text=text[:2000])
        elif data.get('type') == 'stackchan-event' and isinstance(touch, str):
            self.say('evt', name=touch[:64])
        elif data.get('type') == 'abort':
            self._hush('stopped at the device')

    # --- acts -----------------------------------------------------------------------------

    async def _show(self, link: XiaozhiLink, say: schema.Say) -> None:
        self._speaking = asyncio.get_running_loop().create_future()
        why = ''
        try:
            await link.send('tts', state='start')
            await link.send('tts', state='sentence_start', text=say.text)
            try:
                await asyncio.wait_for(self._speaking, len(say.text) / self._rate)
            except asyncio.TimeoutError:
                pass  # it has been there long enough
            except _Hushed as error:
                why = str(error)
            await link.send('tts', state='stop')
            await link.here()
        finally:
            self._speaking = None
        self.say('done', id=say.id, ok=not why, why=why)

    def _hush(self, why: str) -> None:
        if self._speaking is not None and not self._speaking.done():
            self._speaking.set_exception(_Hushed(why))

    async def _hold(self, link: XiaozhiLink, on: bool) -> None:
        if await self._try(link, self._tools.torque, self._tools.hold(on)):
            self._torque = on

    async def _try(self, link: XiaozhiLink, tool: str, arguments: Mapping[str, Any]) -> bool:
        try:
            await link.call(tool, **arguments)
        except ToolFailed:
            return False
        return True

    # --- the head -------------------------------------------------------------------------

    async def _follow(self, link: XiaozhiLink) -> None:
        while True:
            try:
                pose = angles(await link.call(self._tools.read_head))
            except ToolFailed:
                pose = None
            before, self._pose = self._pose, pose
            moving = (
                pose is not None
                and before is not None
                and max(abs(pose[0] - before[0]), abs(pose[1] - before[1])) > _MOVED
            )
            self.say(
                'joint', yaw=10.0 * pose[0] if pose else None,
                pitch=10.0 * pose[1] if pose else None, moving=moving, torque=self._torque,
                ok=pose is not None,
            )  # fmt: skip
            await asyncio.sleep(_POLL)

    async def _turn_head(self, link: XiaozhiLink) -> None:
        """Send the newest wish whenever the one before has been answered; none is repeated."""
        while True:
            await self._wished.wait()
            self._wished.clear()
            wish, self._turn = self._turn, None
            if wish is not None:
                await self._try(link, self._tools.turn_head, self._tools.turn(wish))


class _Hushed(Exception):
    """Speech has been ended early."""
