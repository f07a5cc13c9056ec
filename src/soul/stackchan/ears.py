"""Her ears at the body: what its microphone hears goes to where it is understood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
from soul.voice.messages import (
    Engines,
    FromEars,
    Guessed,
    HeardSpeech,
    SpeechBegan,
    SpeechLasts,
    VoiceTrouble,
)
from soul.voice.sound import EAR_RATE, Clip, at_rate

#: What she has said may be heard back so long after its tail, s.
_ECHO = 0.5

#: She must have spoken for so long without hearing herself until sound alone interrupts her, s.
_PROOF = 3.0


@dataclass
class _Echo:
    """Whether a device that says that it cancels its echo does so.

    `since`: how long she had spoken before she spoke through it, s. `unknown`: turns of which it
    is not known yet whose they were.
    """

    device: str
    since: float
    leaks: bool = False
    unknown: int = 0

    def is_cancelled(self, spoken: float) -> bool:
        """Whether it does, when she has spoken for so long and a turn is under way."""
        return not self.leaks and self.unknown <= 1 and spoken - self.since >= _PROOF


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
        self._echo = _Echo('', 0.0)

    def begin(self, now: float) -> None:
        """A body has come: nothing of what was heard belongs to it."""
        self._clock.reset()
        self._mode = ''
        self._ears.forget()
        about = self._port.about
        if about is not None and about.uid != self._echo.device:
            self._echo = _Echo(about.uid, self._sounding.own.seconds(now))
        self._echo.unknown = 0

    def sound(self, sound: SoundHeard, now: float) -> None:
        """Take a piece of what the microphone hears."""
        seconds = len(sound.samples) / 2 / sound.rate
        at = self._clock.captured(seconds, now)
        own = self._sounding.own
        tail = not self._always and own.drowned(at - seconds, at)
        if tail and own.covers(at - seconds, at):
            return
        near = own.speaking or own.drowned(at - seconds - _ECHO, at)
        samples = at_rate(Clip(sound.samples, sound.rate), EAR_RATE).samples
        self._ears.hear(samples, at, near, tail)

    def listening(self, change: ListenChanged) -> None:
        """Take what the body says about its microphone."""
        if change.state == 'start':
            self._mode = change.mode
            self._clock.reset()
        elif change.state == 'stop' and self._mode == 'manual':
            self._ears.turn_over()

    def understood(self, message: FromEars, device: str, now: float) -> Iterator[Any]:
        """Take what the ears have understood."""
        match message:
            case SpeechBegan():
                self._echo.unknown += 1
            case SpeechLasts(at):
                if self._echo.is_cancelled(self._sounding.own.seconds(at)):
                    yield from self._interrupt(now)
            case Guessed(own=own):
                self._echo.leaks = self._echo.leaks or own
                if not own:
                    yield from self._interrupt(now)
            case HeardSpeech():
                self._echo.unknown = max(0, self._echo.unknown - 1)
                yield from self._said(message, device, now)
            case Engines():
                self.engines = message
                self._echo.unknown = 0  # a process that began anew owes nothing
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
            self._echo.leaks = True
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
