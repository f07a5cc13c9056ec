"""A body with the xiaozhi firmware: it dials the port that is served here.

There is one body: a device that dials anew takes the place of its own earlier connection, another
one is sent away.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from soul.stackchan.pairing.admission import Admission
from soul.stackchan.pairing.window import SECONDS
from soul.stackchan.transports.commands import BodyCommand
from soul.stackchan.transports.events import BodyAbout, LineLogged, PortTrouble
from soul.stackchan.transports.first_completed import first_completed
from soul.stackchan.transports.link import LinkNews
from soul.stackchan.transports.remote import CameAnew, FellAsleep, RemoteBody
from soul.stackchan.transports.xiaozhi.body import XiaozhiBody
from soul.stackchan.transports.xiaozhi.boots import Boots
from soul.stackchan.transports.xiaozhi.door import DeviceDoor
from soul.stackchan.transports.xiaozhi.link import XiaozhiLink
from soul.stackchan.transports.xiaozhi.photos import PATH
from soul.stackchan.transports.xiaozhi.port import DevicePort, keep_open
from soul.stackchan.transports.xiaozhi.socket import DeviceSocket
from soul.stackchan.web.limits import WebLimits
from soul.stackchan.web.listener import WebListener
from soul.wire import opus

#: A device is gone from which nothing has come for so long, s.
SILENCE = 40.0
_LOOK = 1.0  # s between two looks whether it has fallen silent


@dataclass(frozen=True)
class Listening:
    """How to listen for a device.

    `port` 0: any free one. `rate` is in characters of speech per second, `photo_seconds` how long
    a photo may take. `library` is the path of libopus, empty: where the system has it.
    `announces`: what is open to the local network is told there by mDNS. `silence` as
    :data:`SILENCE`.
    """

    host: str = '127.0.0.1'
    port: int = 0
    rate: float = 14.0
    photo_seconds: float = 10.0
    library: str = ''
    announces: bool = True
    silence: float = SILENCE
    limits: WebLimits = WebLimits()


class XiaozhiServer(RemoteBody):
    """The server that a body dials.

    Parameters
    ----------
    admission
        Who may dial.
    known
        Is told the port once it is known; called on the thread.
    """

    def __init__(
        self,
        how: Listening,
        admission: Admission,
        known: Callable[[int], None],
        deliver: Callable[[LinkNews], None],
    ) -> None:
        super().__init__('xiaozhi_port', deliver)
        self._how = how
        self._admission = admission
        self._known = known
        door = DeviceDoor(
            admission, self._serve_device, self._asked, self._photo_token, self._take_photo,
            self._warn,
        )  # fmt: skip
        self._port = DevicePort(
            WebListener(door.app, how.limits), how.host, self._loop, self._warn
        )
        self.trouble = ''  # why it does not listen where it should
        self._listens = False
        self._reaching: asyncio.Task[None] | None = None
        self._library: opus.Opus | str = ''
        self._link: XiaozhiLink | None = None  # who is there
        self._body: XiaozhiBody | None = None  # who the driver knows
        self._there = asyncio.Event()
        self._going: asyncio.Task[None] | None = None  # a device is being sent away
        self._boots = Boots()
        self._warned: set[str] = set()

    # --- the body -----------------------------------------------------------------------

    async def meet(self) -> BodyAbout:
        """Listen, and wait until a device has dialled."""
        if not self._listens:
            await self._listen()
        while (link := self._link) is None:
            await self._there.wait()
        how = self._how
        body = self._body = XiaozhiBody(
            link, how.rate, how.photo_seconds, self._library, self.tell
        )
        return BodyAbout(
            link.device, body.firmware.name, self._boots.boot_of(link.device), body.capabilities,
            body.tools.limits, cancels_echo=link.cancels_echo,
        )  # fmt: skip

    async def meet_again(self) -> BodyAbout:
        """Tell of the line by which the device has dialled anew."""
        if self._link is None:
            raise ConnectionResetError('the device hung up')
        return await self.meet()

    async def stay(self) -> None:
        """Be with the device until it hangs up."""
        body = self._present()
        body.link.listen(body.hear)  # also what it has said meanwhile
        try:
            await first_completed([self._until_gone(body), *body.following()])
        except (FellAsleep, CameAnew):
            raise
        except ConnectionResetError:  # whoever was first to notice: how it left, the line knows
            await self._until_gone(body)

    async def act(self, id: str, command: BodyCommand) -> None:
        """Do it."""
        body = self._present()
        try:
            await body.act(id, command)
        except ConnectionResetError:
            await self._until_gone(body)

    async def freeze(self) -> None:
        """Be silent, and stay where the head is."""
        if self._body is not None:
            await self._body.freeze()

    async def leave(self) -> None:
        """Let go of the body; the device stays on the line."""
        body, self._body = self._body, None
        if body is not None:
            body.link.listen(None)
            body.close()

    async def release(self) -> None:
        """Listen no more."""
        if self._reaching is not None:
            self._reaching.cancel()
            await asyncio.wait([self._reaching])
        await self._port.close()

    def _present(self) -> XiaozhiBody:
        if self._body is None:
            raise ConnectionResetError('the device hung up')
        return self._body

    async def _until_gone(self, body: XiaozhiBody) -> None:
        link = body.link
        while not link.gone.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(link.gone.wait(), _LOOK)
            if not link.gone.is_set() and time.monotonic() - link.heard >= self._how.silence:
                link.silent = True
                self._gone_is(link)
                await link.hang_up('silent')
        if link.silent:
            raise ConnectionResetError(
                f'nothing has come from the device for {self._how.silence:g} s'
            )
        if self._link is not None:
            raise CameAnew('the device has dialled anew')
        if body.firmware.sleeps:
            raise FellAsleep('it has hung up; say its wake word, or tap its screen')
        raise ConnectionResetError('the device hung up')

    # --- the port -------------------------------------------------------------------------

    async def _listen(self) -> None:
        how = self._how
        try:
            self._library = opus.Opus(how.library)
        except OSError as error:
            self._library = str(error)
        try:
            self._known(await self._port.open(how.port, how.announces))
        except OSError as error:
            self._in_trouble(str(error.strerror))
            raise
        self._listens = True
        self._in_trouble('')
        self._reaching = self._loop.create_task(
            keep_open(self._port, lambda: self._admission.register.address, self._in_trouble)
        )

    def _in_trouble(self, why: str) -> None:
        """Tell the driver, and whoever wants to pair, what is wrong; empty: nothing any more."""
        self.trouble = why
        self.log(PortTrouble(why))

    @property
    def host(self) -> str:
        """The address that is listened at in any case."""
        return self._how.host

    @property
    def port(self) -> int:
        """Its port; 0: it does not listen yet."""
        return self._port.number

    def listen_at(self, address: str) -> None:
        """Listen at a further address of this machine; from the driver's thread.

        Raises
        ------
        OSError
            If that cannot be.
        """
        opening = self._port.open_also(address)
        asyncio.run_coroutine_threadsafe(opening, self._loop).result()
        # a pairing that has led to nothing leaves nothing open
        self._loop.call_soon_threadsafe(self._loop.call_later, SECONDS + 1.0, self._tidy)

    def tidy(self) -> None:
        """Listen no more at addresses that no pairing needs; from the driver's thread."""
        self._loop.call_soon_threadsafe(self._tidy)

    def send_away(self, device: str) -> None:
        """Hang up if it is this device that is on the line; from the driver's thread."""
        self._loop.call_soon_threadsafe(self._send_away, device)

    def _send_away(self, device: str) -> None:
        link = self._link
        if link is not None and link.device == device:
            self._going = self._loop.create_task(link.hang_up('not paired any more'))

    def _tidy(self) -> None:
        window = self._admission.window
        needed = {self._admission.register.address}
        if window is not None and self._admission.waits:
            needed.add(window.address)
        self._port.close_all_but(needed)

    def _asked(self, device: str) -> None:
        self._boots.asked(device)

    def _warn(self, what: str) -> None:
        """Tell people of somebody at the door; each thing once."""
        if what not in self._warned and len(self._warned) < 64:
            self._warned.add(what)
            self.log(LineLogged(what, warn=True))

    def _photo_token(self) -> str:
        return self._body.link.photo_token if self._body is not None else ''

    def _take_photo(self, jpeg: bytes) -> bool:
        return self._body is not None and self._body.take_photo(jpeg)

    # --- who dials ------------------------------------------------------------------------

    async def _serve_device(self, socket: DeviceSocket) -> None:
        link = XiaozhiLink(socket)
        before = self._link
        if before is not None and before.device != link.device:
            await link.hang_up('another body is here')
            return
        reading = asyncio.ensure_future(link.read())
        try:
            await link.greet(f'http://{link.place}{PATH}')
            self._boots.dialled(link.device)
            forgotten, self._link = self._link, link
            if forgotten is not None:
                forgotten.gone.set()
                await forgotten.hang_up('dialled anew')
            self._there.set()
            self._admission.joined(link.device, f'{len(link.tools)} tools')
            await asyncio.wait([reading])
        except OSError:
            await link.hang_up('no hello')
        except asyncio.CancelledError:  # the port is closed, and so is the line
            pass
        finally:
            reading.cancel()
            self._gone_is(link)

    def _gone_is(self, link: XiaozhiLink) -> None:
        link.gone.set()
        if self._link is link:
            self._link = None
            self._there.clear()
