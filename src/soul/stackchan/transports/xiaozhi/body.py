"""What a body with the xiaozhi firmware does and tells, on one connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from soul.stackchan.transports.commands import (
    BodyCommand,
    BrightnessCommand,
    CaptureCommand,
    FaceCommand,
    HeadCommand,
    HeardCommand,
    HushCommand,
    MicrophoneCommand,
    MouthCommand,
    SayCommand,
    SentenceCommand,
    SoundBegin,
    SoundEnd,
    SoundPacket,
    TorqueCommand,
    VolumeCommand,
)
from soul.stackchan.transports.events import (
    ActEnded,
    PhotoTaken,
    PowerRead,
    SeenInWords,
    Told,
    plain_text,
)
from soul.stackchan.transports.xiaozhi.face import ToolFace
from soul.stackchan.transports.xiaozhi.firmware import firmware_of
from soul.stackchan.transports.xiaozhi.head import ToolHead
from soul.stackchan.transports.xiaozhi.heard import heard_in
from soul.stackchan.transports.xiaozhi.lateness import Lateness
from soul.stackchan.transports.xiaozhi.link import XiaozhiLink
from soul.stackchan.transports.xiaozhi.mcp import ToolFailed
from soul.stackchan.transports.xiaozhi.sound import Microphone, Speaker
from soul.stackchan.transports.xiaozhi.tool_user import ToolUser
from soul.stackchan.transports.xiaozhi.tools import Tools, battery, failure, told
from soul.stackchan.transports.xiaozhi.words import UNCONFIRMED, ScreenWords
from soul.wire import opus

_STATUS_PERIOD = 5.0  # s between two readings of the battery
_LONGEST_REASON = 64  # characters
_OPEN = 0.3  # from here on a mouth that knows two positions is open


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
        self.firmware = firmware_of(self.tools)
        self._photo_seconds = photo_seconds
        self._tell = tell
        self._photo: asyncio.Future[bytes] | None = None
        user = self._user = ToolUser(link.client, tell)
        self._head = ToolHead(self.tools, self.firmware, link.client, user, tell)
        self._face = ToolFace(self.tools, self.firmware, link, user)
        self._words = ScreenWords(link, self._face, rate, self.tools.witness)
        lateness = Lateness(lambda: link.client.has_taken(self.tools.witness))
        self._speaker = Speaker(link, self._face, lateness)
        self._microphone = Microphone(library, tell)

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What the driver may ask for, and what it will be told."""
        sound = []
        if self.link.has_sound:
            sound = ['spk', 'mic'] if self._microphone.works else ['spk']
        return (*self.tools.capabilities, *sound)

    def following(self) -> list[Coroutine[Any, Any, None]]:
        """What is to be done all the time while the body is there."""
        tasks = []
        if 'head' in self.tools.capabilities:
            tasks += [self._head.follow(), self._head.turn()]
        if self.tools.status:
            tasks.append(self._watch_battery())
        return tasks

    def close(self) -> None:
        """Let go of what it holds."""
        self._speaker.close()
        self._microphone.close()

    # --- what it tells --------------------------------------------------------------------

    def hear(self, message: Mapping[str, Any] | bytes) -> None:
        """Take a message, or a packet of sound."""
        if isinstance(message, bytes):
            self._microphone.hear(message)
            return
        for event in heard_in(message):
            self._tell(event)
        if message.get('type') == 'abort':
            self._words.hush('stopped at the device')

    def take_photo(self, jpeg: bytes) -> bool:
        """Take a photo that the device has posted; returns whether one was asked for."""
        if self._photo is None or self._photo.done():
            return False
        self._photo.set_result(jpeg)
        return True

    # --- what it does ---------------------------------------------------------------------

    async def act(self, id: str, command: BodyCommand) -> None:
        """Do it.

        Raises
        ------
        OSError
            If the device is gone.
        """
        match command:
            case SayCommand(text=text):
                self._tell(await self._words.show(id, text))
            case HushCommand():
                self._words.hush('aborted')
                await self._speaker.act(SoundEnd())
            case SoundEnd():
                why = await self._speaker.end()
                taken = await self.link.client.has_taken(self.tools.witness)
                why = why or ('' if taken else UNCONFIRMED)
                self._tell(ActEnded(id, ok=not why, sure=not why, why=why))
            case SoundBegin() | SoundPacket() | SentenceCommand() | HeardCommand():
                await self._speaker.act(command)
            case HeadCommand():
                self._head.aim(command)
            case TorqueCommand(on=on):
                await self._head.hold(on)
            case FaceCommand(name=name):
                await self._face.show(name)
            case CaptureCommand(question=question):
                await self._look(id, question)
            case VolumeCommand(share=share):
                await self._user.use(self.tools.volume, self.tools.loudness(share))
            case BrightnessCommand(share=share):
                await self._user.use(self.tools.brightness, self.tools.light_up(share))
            case MouthCommand(opened=opened):
                await self._face.open_mouth(opened > _OPEN)
            case MicrophoneCommand(on=on):
                if not self.firmware.sleeps:  # the others listen when they are woken
                    state = 'start' if on else 'stop'
                    await self.link.send('listen', state=state, mode='auto')

    async def freeze(self) -> None:
        """Be silent, and stay where the head is."""
        await self._speaker.stop()
        await self._head.freeze()
        await self._face.open_mouth(False)

    async def _look(self, id: str, question: str) -> None:
        self._photo = asyncio.get_running_loop().create_future()
        try:
            text = await self.link.client.call(
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

    async def _watch_battery(self) -> None:
        while True:
            try:
                level, charging = battery(await self.link.client.call(self.tools.status))
            except ToolFailed:
                level = charging = None
            self._tell(PowerRead(percent=level, charging=charging))
            await asyncio.sleep(_STATUS_PERIOD)
