"""Sound to and from a device: packets of Opus, between the messages that go with them.

A device plays packets only while it is to speak, and begins to a moment after it has been told so.
Everything here is sent in the order in which it was given; when a packet is due, whoever gives it
knows.
"""

from __future__ import annotations

from collections.abc import Callable

from soul.stackchan.transports.commands import (
    HeardCommand,
    SentenceCommand,
    SoundBegin,
    SoundEnd,
    SoundPacket,
)
from soul.stackchan.transports.events import LineLogged, SoundHeard, Told
from soul.stackchan.transports.xiaozhi.face import ToolFace
from soul.stackchan.transports.xiaozhi.lateness import Lateness
from soul.stackchan.transports.xiaozhi.link import XiaozhiLink
from soul.wire import opus

SoundCommand = SoundBegin | SoundPacket | SoundEnd | SentenceCommand | HeardCommand


class Speaker:
    """Sends sound, and what is shown beside it."""

    def __init__(self, link: XiaozhiLink, face: ToolFace, lateness: Lateness) -> None:
        self._link = link
        self._lateness = lateness
        self._face = face
        self._begun = False

    async def act(self, command: SoundCommand) -> None:
        """Send it.

        Raises
        ------
        OSError
            If the device is gone.
        """
        match command:
            case SoundBegin():
                self._begun = True
                self._lateness.begin()
                await self._link.send('tts', state='start')
            case SoundPacket(data):
                if self._begun:  # what comes after a stop belongs to nothing
                    await self._link.send_sound(data)
            case SentenceCommand(text):
                await self._link.send('tts', state='sentence_start', text=text)
            case HeardCommand(text):
                await self._link.send('stt', text=text)
            case SoundEnd():
                if self._begun:
                    await self.stop()
                    await self._face.speech_ended()

    async def end(self) -> str:
        """End the utterance once the device has played it.

        Returns
        -------
        str
            Why some of it may not have been played, for people; empty: it was.

        Raises
        ------
        OSError
            If the device is gone.
        """
        why = await self._lateness.played_out() if self._begun else ''
        await self.act(SoundEnd())
        return why

    def close(self) -> None:
        """Let go of what watches an utterance."""
        self._lateness.end()

    async def stop(self) -> None:
        """End the utterance at the device, whatever is under way."""
        self._begun = False
        self._lateness.end()
        await self._link.send('tts', state='stop')


class Microphone:
    """Makes samples of what a device's microphone sends.

    Parameters
    ----------
    library
        libopus, or why it is not there.
    """

    def __init__(self, library: opus.Opus | str, tell: Callable[[Told], None]) -> None:
        self._library = library
        self._tell = tell
        self._decoder: opus.OpusDecoder | None = None

    @property
    def works(self) -> bool:
        """Whether anything can be heard."""
        return isinstance(self._library, opus.Opus)

    def hear(self, packet: bytes) -> None:
        """Take a packet of Opus."""
        if isinstance(self._library, str):
            told = f'what its microphone hears is lost: {self._library}'
            self._tell(LineLogged(told, warn=True))
            return
        if self._decoder is None:
            self._decoder = opus.OpusDecoder(self._library)
        try:
            samples = self._decoder.decode(packet)
        except ValueError as error:
            self._tell(LineLogged(f'{error}: {len(packet)} bytes'))
            return
        self._tell(SoundHeard(samples, opus.RATE))

    def close(self) -> None:
        """Let go of the decoder."""
        if self._decoder is not None:
            self._decoder.close()
            self._decoder = None
