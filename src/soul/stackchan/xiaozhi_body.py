"""What a body with the xiaozhi firmware does and tells, on one connection."""

from __future__ import annotations

import asyncio
import base64
import itertools
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from soul.stackchan import opus
from soul.stackchan.xiaozhi_faces import EMOTIONS
from soul.stackchan.xiaozhi_link import ToolFailed, XiaozhiLink
from soul.stackchan.xiaozhi_tools import Arguments, Tools, angles, battery, failure, told
from soul.wire import schema

_SECONDS = 5.0  # longest time of a tool, s
_POLL = 0.2  # s between two readings of the head
_SOON = 1.5  # s; later the answer does not matter any more
_STATUS_PERIOD = 5.0  # s between two readings of the battery
_MOVED = 0.5  # degrees between two readings: it moves
_PIECE = 2_400  # bytes of sound or of a photo in one frame
SHOWN = 'shown on the screen, not spoken'


class XiaozhiBody:
    """The body behind a link.

    Parameters
    ----------
    rate
        Characters of speech per second.
    photo_seconds
        How long a photo may take.
    library
        libopus, or why it is not there.
    say
        Says something as the device.
    """

    def __init__(
        self,
        link: XiaozhiLink,
        rate: float,
        photo_seconds: float,
        library: opus.Opus | str,
        say: Callable[..., None],
    ) -> None:
        self.link = link
        self.tools = Tools(link.tools)
        self._rate = rate
        self._photo_seconds = photo_seconds
        self._library = library
        self._decoder: opus.Decoder | None = None
        self._say = say
        self._sound = itertools.count()
        self._photos = itertools.count(1)
        self._photo: asyncio.Future[bytes] | None = None
        self._turn: schema.Head | None = None  # the newest wish
        self._wished = asyncio.Event()
        self._pose: tuple[float, float] | None = None  # degrees
        self._torque = True
        self._speaking: asyncio.Future[None] | None = None
        self._mouth = asyncio.Lock()

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What the driver may ask for, and what it will be told."""
        hears = self.link.has_sound and isinstance(self._library, opus.Opus)
        return (*self.tools.capabilities, *(['mic'] if hears else []))

    def following(self) -> list[Coroutine[Any, Any, None]]:
        """What is to be done all the time while the body is there."""
        tasks = []
        if 'head' in self.tools.capabilities:
            tasks += [self._follow_head(), self._turn_head()]
        if self.tools.status:
            tasks.append(self._watch_battery())
        return tasks

    def close(self) -> None:
        """Let go of what it holds."""
        if self._decoder is not None:
            self._decoder.close()
            self._decoder = None

    # --- what it tells --------------------------------------------------------------------

    def hear(self, data: Mapping[str, Any]) -> None:
        """Take a message."""
        text = data.get('text')
        if data.get('type') == 'listen' and data.get('state') == 'detect':
            if isinstance(text, str) and text.strip():
                self._say('heard', text=text[:2000])
        elif data.get('type') == 'stackchan-event':
            # One firmware says it so, its documentation otherwise.
            kind = data.get('subtype') if data.get('event_type') == 'touch' else data.get('touch')
            if isinstance(kind, str):
                self._say('evt', name=kind[:64])
        elif data.get('type') == 'abort':
            self.hush('stopped at the device')

    def hear_sound(self, packet: bytes) -> None:
        """Take a packet of Opus."""
        if isinstance(self._library, str):
            self._say('log', text=f'what its microphone hears is lost: {self._library}', warn=True)
            return
        if self._decoder is None:
            self._decoder = opus.Decoder(self._library)
        try:
            samples = self._decoder.decode(packet)
        except ValueError as error:
            self._say('log', text=f'{error}: {len(packet)} bytes')
            return
        for start in range(0, len(samples), _PIECE):
            piece = base64.b64encode(samples[start : start + _PIECE]).decode()
            self._say('pcm', st=1, n=next(self._sound) % 2**32, b64=piece, rate=opus.RATE)

    def take_photo(self, jpeg: bytes) -> None:
        """Take a photo that the device has posted."""
        if self._photo is not None and not self._photo.done():
            self._photo.set_result(jpeg)

    # --- what it does ---------------------------------------------------------------------

    async def perform(self, command: schema.Command) -> None:
        """Do it.

        Raises
        ------
        OSError
            If the device is gone.
        """
        match command:
            case schema.Head():
                self._turn = command
                self._wished.set()
            case schema.Say():
                async with self._mouth:
                    await self._show(command)
            case schema.Face():
                await self._express(command.name)
            case schema.Torque():
                if await self._try(self.tools.torque, self.tools.hold(command.on)):
                    self._torque = command.on
            case schema.Cam():
                await self._look(command)
            case schema.Spk(op='abort'):
                self.hush('aborted')

    async def halt(self) -> None:
        """Be silent, and stay where the head is."""
        self._turn = None
        await self.link.send('tts', state='stop')
        if self._pose is not None and self.tools.turn_head:
            here = schema.Head(t='head', q=0, yaw=10.0 * self._pose[0], pitch=10.0 * self._pose[1])
            await self._try(self.tools.turn_head, self.tools.turn(here))
        if self.tools.mouth:
            await self._try(self.tools.mouth, self.tools.open_mouth(False), _SOON)

    def hush(self, why: str) -> None:
        """End the speech early."""
        if self._speaking is not None and not self._speaking.done():
            self._speaking.set_exception(_Hushed(why))

    async def _show(self, say: schema.Say) -> None:
        """Show words for as long as they take to say; done once the firmware has taken them."""
        self._speaking = asyncio.get_running_loop().create_future()
        why = ''
        try:
            await self.link.send('tts', state='start')
            await self.link.send('tts', state='sentence_start', text=say.text)
            if self.tools.mouth:
                await self._try(self.tools.mouth, self.tools.open_mouth(True), _SOON)
            try:
                await asyncio.wait_for(self._speaking, len(say.text) / self._rate)
            except asyncio.TimeoutError:
                pass  # it has been there long enough
            except _Hushed as error:
                why = str(error)
            await self.link.send('tts', state='stop')
            if self.tools.mouth:
                await self._try(self.tools.mouth, self.tools.open_mouth(False), _SOON)
            taken = await self.link.has_taken(self.tools.witness)
        finally:
            self._speaking = None
        if why:
            self._say('done', id=say.id, ok=False, why=why)
        elif taken:
            self._say('done', id=say.id, ok=True, why=SHOWN)
        else:
            why = 'sent to its screen; the device confirms nothing'
            self._say('done', id=say.id, ok=False, sure=False, why=why)

    async def _express(self, face: str) -> None:
        await self.link.send('llm', emotion=EMOTIONS.get(face, 'neutral'), text='')
        if self.tools.avatar:
            await self._try(self.tools.avatar, self.tools.show(face))
        if self.tools.lights:
            await self._try(self.tools.lights, self.tools.light(face))

    async def _look(self, cam: schema.Cam) -> None:
        self._photo = asyncio.get_running_loop().create_future()
        try:
            text = await self.link.call(
                self.tools.photo, self.tools.look(cam.ask), self._photo_seconds
            )
            why = failure(text)
        except ToolFailed as error:
            text, why = '', str(error) or 'it failed'
        jpeg = self._photo.result() if self._photo.done() else b''
        self._photo = None
        id = cam.id or ''
        if jpeg:
            pieces = [jpeg[start : start + _PIECE] for start in range(0, len(jpeg), _PIECE)]
            number = next(self._photos) % 2**32
            for k, piece in enumerate(pieces):
                b64 = base64.b64encode(piece).decode()
                self._say('jpg', f=number, k=k, n=len(pieces), b64=b64)
        elif not why and told(text).strip():
            self._say('seen', id=id, text=told(text)[:1000])
        elif id:
            self._say('done', id=id, ok=False, why=(why or 'no photo came')[:64])

    async def _try(self, tool: str, arguments: Arguments, seconds: float = _SECONDS) -> bool:
        try:
            why = failure(await self.link.call(tool, arguments, seconds))
        except ToolFailed as error:
            why = str(error)
        if why:
            self._say('log', text=f'{tool}: {why}'[:300])
        return not why

    # --- all the time ---------------------------------------------------------------------

    async def _follow_head(self) -> None:
        while True:
            try:
                text = await self.link.call(self.tools.read_head, seconds=_SOON)
                pose = angles(text)
            except ToolFailed:
                pose = None
            before, self._pose = self._pose, pose
            moving = (
                pose is not None
                and before is not None
                and max(abs(pose[0] - before[0]), abs(pose[1] - before[1])) > _MOVED
            )
            self._say(
                'joint', yaw=10.0 * pose[0] if pose else None,
                pitch=10.0 * pose[1] if pose else None, moving=moving, torque=self._torque,
                ok=pose is not None,
            )  # fmt: skip
            await asyncio.sleep(_POLL)

    async def _turn_head(self) -> None:
        """Send the newest wish whenever the one before has been answered; none is repeated."""
        while True:
            await self._wished.wait()
            self._wished.clear()
            wish, self._turn = self._turn, None
            if wish is not None:
                await self._try(self.tools.turn_head, self.tools.turn(wish), _SOON)

    async def _watch_battery(self) -> None:
        while True:
            try:
                level, charging = battery(await self.link.call(self.tools.status))
            except ToolFailed:
                level = charging = None
            self._say('power', pct=level, chg=charging)
            await asyncio.sleep(_STATUS_PERIOD)


class _Hushed(Exception):
    """Speech has been ended early."""
