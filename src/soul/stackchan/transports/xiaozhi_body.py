"""What a body with the xiaozhi firmware does and tells, on one connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from soul.stackchan.transports import opus
from soul.stackchan.transports.commands import (
    BodyCommand,
    CaptureCommand,
    FaceCommand,
    HeadCommand,
    HushCommand,
    SayCommand,
    TorqueCommand,
)
from soul.stackchan.transports.events import (
    ActEnded,
    BodyEvent,
    HeadRead,
    LineLogged,
    PhotoTaken,
    PowerRead,
    SeenInWords,
    SoundHeard,
    Told,
    WordsHeard,
    plain_text,
)
from soul.stackchan.transports.xiaozhi_faces import EMOTIONS
from soul.stackchan.transports.xiaozhi_link import ToolFailed, XiaozhiLink
from soul.stackchan.transports.xiaozhi_tools import (
    Arguments,
    Tools,
    angles,
    battery,
    failure,
    told,
)

_SECONDS = 5.0  # longest time of a tool, s
_POLL = 0.2  # s between two readings of the head
_SOON = 1.5  # s; later the answer does not matter any more
_STATUS_PERIOD = 5.0  # s between two readings of the battery
_MOVED = 0.5  # degrees between two readings: it moves
_LONGEST_REASON = 64  # characters
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
    tell
        Tells the driver something.
    """

    def __init__(
        self,
        link: XiaozhiLink,
        rate: float,
        photo_seconds: float,
        library: opus.Opus | str,
        tell: Callable[[Told], None],
    ) -> None:
        self.link = link
        self.tools = Tools(link.tools)
        self._rate = rate
        self._photo_seconds = photo_seconds
        self._library = library
        self._decoder: opus.OpusDecoder | None = None
        self._tell = tell
        self._photo: asyncio.Future[bytes] | None = None
        self._turn: HeadCommand | None = None  # the newest wish
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
                self._tell(WordsHeard(plain_text(text, 2000)))
        elif data.get('type') == 'stackchan-event':
            # One firmware says it so, its documentation otherwise.
            kind = data.get('subtype') if data.get('event_type') == 'touch' else data.get('touch')
            if isinstance(kind, str):
                self._tell(BodyEvent(plain_text(kind, 64)))
        elif data.get('type') == 'abort':
            self.hush('stopped at the device')

    def hear_sound(self, packet: bytes) -> None:
        """Take a packet of Opus."""
        if isinstance(self._library, str):
            self._tell(
                LineLogged(f'what its microphone hears is lost: {self._library}', warn=True)
            )
            return
        if self._decoder is None:
            self._decoder = opus.OpusDecoder(self._library)
        try:
            samples = self._decoder.decode(packet)
        except ValueError as error:
            self._tell(LineLogged(f'{error}: {len(packet)} bytes'))
            return
        self._tell(SoundHeard(samples, opus.RATE))

    def take_photo(self, jpeg: bytes) -> None:
        """Take a photo that the device has posted."""
        if self._photo is not None and not self._photo.done():
            self._photo.set_result(jpeg)

    # --- what it does ---------------------------------------------------------------------

    async def act(self, id: str, command: BodyCommand) -> None:
        """Do it.

        Raises
        ------
        OSError
            If the device is gone.
        """
        match command:
            case HeadCommand():
                self._turn = command
                self._wished.set()
            case SayCommand(text=text):
                async with self._mouth:
                    await self._show(id, text)
            case FaceCommand(name=name):
                await self._express(name)
            case TorqueCommand():
                if await self._try(self.tools.torque, self.tools.hold(command.on)):
                    self._torque = command.on
            case CaptureCommand(question=question):
                await self._look(id, question)
            case HushCommand():
                self.hush('aborted')

    async def freeze(self) -> None:
        """Be silent, and stay where the head is."""
        self._turn = None
        await self.link.send('tts', state='stop')
        if self._pose is not None and self.tools.turn_head:
            here = HeadCommand(10.0 * self._pose[0], 10.0 * self._pose[1])
            await self._try(self.tools.turn_head, self.tools.turn(here))
        if self.tools.mouth:
            await self._try(self.tools.mouth, self.tools.open_mouth(False), _SOON)

    def hush(self, why: str) -> None:
        """End the speech early."""
        if self._speaking is not None and not self._speaking.done():
            self._speaking.set_exception(_Hushed(why))

    async def _show(self, id: str, text: str) -> None:
        """Show words for as long as they take to say; done once the firmware has taken them."""
        self._speaking = asyncio.get_running_loop().create_future()
        why = ''
        try:
            await self.link.send('tts', state='start')
            await self.link.send('tts', state='sentence_start', text=text)
            if self.tools.mouth:
                await self._try(self.tools.mouth, self.tools.open_mouth(True), _SOON)
            try:
                await asyncio.wait_for(self._speaking, len(text) / self._rate)
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
            self._tell(ActEnded(id, ok=False, why=why))
        elif taken:
            self._tell(ActEnded(id, ok=True, why=SHOWN))
        else:
            why = 'sent to its screen; the device confirms nothing'
            self._tell(ActEnded(id, ok=False, sure=False, why=why))

    async def _express(self, face: str) -> None:
        await self.link.send('llm', emotion=EMOTIONS.get(face, 'neutral'), text='')
        if self.tools.avatar:
            await self._try(self.tools.avatar, self.tools.show(face))
        if self.tools.lights:
            await self._try(self.tools.lights, self.tools.light(face))

    async def _look(self, id: str, question: str) -> None:
        self._photo = asyncio.get_running_loop().create_future()
        try:
            text = await self.link.call(
                self.tools.photo, self.tools.look(question), self._photo_seconds
            )
            why = failure(text)
        except ToolFailed as error:
            text, why = '', str(error) or 'it failed'
        jpeg = self._photo.result() if self._photo.done() else b''
        self._photo = None
        if jpeg:
            self._tell(PhotoTaken(jpeg))
        elif not why and told(text).strip():
            self._tell(SeenInWords(id, plain_text(told(text), 1000)))
        else:
            why = plain_text(why or 'no photo came', _LONGEST_REASON)
            self._tell(ActEnded(id, ok=False, why=why))

    async def _try(self, tool: str, arguments: Arguments, seconds: float = _SECONDS) -> bool:
        try:
            why = failure(await self.link.call(tool, arguments, seconds))
        except ToolFailed as error:
            why = str(error)
        if why:
            self._tell(LineLogged(plain_text(f'{tool}: {why}', 300)))
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
            yaw, pitch = (10.0 * pose[0], 10.0 * pose[1]) if pose else (None, None)
            self._tell(HeadRead(yaw, pitch, moving, self._torque, ok=pose is not None))
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
            self._tell(PowerRead(percent=level, charging=charging))
            await asyncio.sleep(_STATUS_PERIOD)


class _Hushed(Exception):
    """Speech has been ended early."""
