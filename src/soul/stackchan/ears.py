"""Her ears at the body: what its microphone hears goes to where it is understood."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from soul.core.organ import Report
from soul.stackchan.config import StackChanConfig
from soul.stackchan.inbound import InboundEvents
from soul.stackchan.saying import Voice
from soul.stackchan.sounding import SoundSpeech, VoicePort
from soul.stackchan.transports.commands import HeardCommand, can
from soul.stackchan.transports.events import ListenChanged, SoundHeard
from soul.stackchan.transports.port import BodyPort
from soul.voice.capture import CaptureClock
from soul.voice.messages import Engines, Guessed, HeardSpeech, SpeechBegan, VoiceTrouble
from soul.voice.sound import EAR_RATE, Clip, at_rate

#: What she has said may be heard back so long after its tail, s.
_ECHO = 0.5


class Ears:
    """Listens while she does not speak, or all the time where the body cancels her echo.

    Attributes
    ----------
    engines
        What speaks and what understands now.
    heard, own, invented
        Utterances that were heard, that were her own words, and that nobody said.
    """

    def __init__(
        self,
        config: StackChanConfig,
        port: BodyPort,
        port_of_voice: VoicePort,
        sounding: SoundSpeech,
        voice: Voice,
        inbound: InboundEvents,
    ) -> None:
        self.engines = Engines()
        self.heard = self.own = self.invented = 0
        self._config = config
        self._port = port
        self._ears = port_of_voice
        self._sounding = sounding
        self._voice = voice
        self._inbound = inbound
        self._clock = CaptureClock()
        self._mode = ''

    def begin(self) -> None:
        """A body has come: nothing of what was heard belongs to it."""
        self._clock.reset()
        self._mode = ''
        self._ears.forget()

    def sound(self, sound: SoundHeard, now: float) -> None:
        """Take a piece of what the microphone hears."""
        seconds = len(sound.samples) / 2 / sound.rate
        at = self._clock.captured(seconds, now)
        own = self._sounding.own
        if own.drowned(at - seconds, at) and not self._always:
            return
        near = own.speaking or own.drowned(at - seconds - _ECHO, at)
        samples = at_rate(Clip(sound.samples, sound.rate), EAR_RATE).samples
        self._ears.hear(samples, at, near)

    def listening(self, change: ListenChanged) -> None:
        """Take what the body says about its microphone."""
        if change.state == 'start':
            self._mode = change.mode
            self._clock.reset()
        elif change.state == 'stop' and self._mode == 'manual':
            self._ears.turn_over()

    def understood(
        self, message: SpeechBegan | Guessed | HeardSpeech | Engines | VoiceTrouble,
        device: str, now: float,
    ) -> Iterator[Any]:  # fmt: skip
        """Take what the ears have understood."""
        match message:
            case Guessed(own=False):
                yield from self._interrupt(now)
            case HeardSpeech():
                yield from self._said(message, device, now)
            case Engines():
                self.engines = message
            case VoiceTrouble(text):
                yield Report('warning', text)

    @property
    def _always(self) -> bool:
        """Whether people are heard while she speaks."""
        about = self._port.about
        return about is not None and about.cancels_echo

    def _said(self, heard: HeardSpeech, device: str, now: float) -> Iterator[Any]:
        if heard.invented:
            self.invented += 1
            yield Report('debug', f'nobody said {heard.text!r}: {heard.invented}')
            return
        if heard.own:
            self.own += 1
            self._inbound.echoes += 1
            return
        self.heard += 1
        yield from self._interrupt(now)
        about = self._port.about
        shown = HeardCommand(heard.text)
        if self._port.joined and about is not None and can(about.capabilities, shown):
            self._port.send(shown, now)
        sender = self._config.ears_sender
        yield from self._inbound.spoken(heard.text, sender, device, heard.began, now)

    def _interrupt(self, now: float) -> Iterator[Any]:
        """Somebody speaks while she does: she stops."""
        if self._sounding.begun and self._sounding.own.speaking:
            yield from self._voice.stopped('somebody spoke', now)
