"""All parts of a body together: what the device tells goes to each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from soul.core.organ import Report
from soul.signals import LookAtGoal, Point, SayGoal
from soul.stackchan.acts import Eye, FaceDisplay
from soul.stackchan.config import StackChanConfig
from soul.stackchan.ears import Ears
from soul.stackchan.gate import Gate
from soul.stackchan.inbound import InboundEvents
from soul.stackchan.neck import Neck
from soul.stackchan.readings import Readings
from soul.stackchan.saying import Voice
from soul.stackchan.sounding import SoundSpeech, VoicePort
from soul.stackchan.transports.commands import (
    BodyCommand,
    BrightnessCommand,
    MicrophoneCommand,
    TorqueCommand,
    VolumeCommand,
    can,
)
from soul.stackchan.transports.events import (
    ActEnded,
    Answered,
    BodyAbout,
    HeadRead,
    Heard,
    LineLogged,
    ListenChanged,
    PhotoTaken,
    SeenInWords,
    SoundHeard,
    SpeechAborted,
    WordsHeard,
)
from soul.stackchan.transports.port import BodyPort

_MOST_NOTICES = 8


class BodyComponents:
    """Neck, face, voice, eye, senses, and the ear.

    Parameters
    ----------
    stamped
        See :class:`Readings`.
    transform
        See :class:`Neck`.
    """

    def __init__(
        self,
        config: StackChanConfig,
        port: BodyPort,
        gate: Gate,
        stamped: Callable[[float], float],
        transform: Callable[[Point, str], Point],
    ) -> None:
        self.neck = Neck(config, port, transform)
        self.face = FaceDisplay(port, gate, config.thinking_seconds)
        self.voice = Voice(config, port, self.face)
        self.eye = Eye(config, port)
        self.readings = Readings(config, stamped)
        self.inbound = InboundEvents(self.voice.speech, self.face, config.ears_joins)
        self.ears: Ears | None = None  # where there are any
        self.notices: list[str] = []  # what the device wants people to see to
        self._port = port
        self._config = config
        self._settings: list[BodyCommand] = [MicrophoneCommand(config.microphone)]
        if config.volume >= 0.0:
            self._settings.append(VolumeCommand(config.volume))
        if config.brightness >= 0.0:
            self._settings.append(BrightnessCommand(config.brightness))

    def due(self) -> float:
        """When something is due next."""
        return min(
            self.neck.head.due(),
            self.voice.due(),
            self.face.due(),
            self.eye.camera.until,
            self.readings.skin.due(),
        )

    def step(self, now: float) -> Iterator[Any]:
        """Do what is due."""
        if self._port.joined:
            yield from self.neck.step(now)
        yield from self.voice.step(now)
        self.face.step(now)
        yield from self.eye.step(now)
        yield from self.readings.skin.step(now)

    def refusal(self, request: Any, now: float) -> str:
        """Why a request cannot be carried out as things are; empty if it can."""
        if isinstance(request, SayGoal):
            return self.voice.speech.refusal(request)
        if isinstance(request, LookAtGoal):
            gauge = self.readings.gauge
            if gauge.low_supply:
                return f'the supply is too low to move: {gauge.vbus:.2f} V'
            return self.neck.refusal(request, now)
        return ''

    def begin(self, about: BodyAbout, rebooted: bool, now: float) -> None:
        """Begin with a device: nothing is known of it yet."""
        if self.ears is not None:
            self.ears.begin(now)
        self.readings.begin()
        self.neck.head.begin(about.limits, rebooted)

    def give_voice(self, voice: VoicePort, sounding: SoundSpeech) -> None:
        """Speak and hear through `voice` from now on."""
        self.voice.own = sounding.own
        if self._config.voice_engine not in ('none', 'action'):
            self.voice.sounding = sounding
        if self._config.ears_engine not in ('none', 'topic'):
            self.ears = Ears(self._config, self._port, voice, sounding, self.voice, self.inbound)

    def take_over(self, caps: tuple[str, ...], now: float) -> None:
        """Act from now on: only states are asserted, no act is repeated."""
        if 'torque' in caps:
            self._port.send(TorqueCommand(True), now)
        for command in self._settings:
            if can(caps, command):
                self._port.send(command, now)
        if 'face' in caps:
            self.face.reassert(now)

    def heard(self, heard: Heard, device: str, now: float) -> Iterator[Any]:
        """Take what the body tells."""
        told, stamp = heard.told, self.readings.stamp(heard.up, now)
        match told:
            case HeadRead():
                yield from self.neck.read(told, stamp, now)
            case PhotoTaken():
                yield from self.eye.take(told, stamp)
            case ActEnded():
                yield from self.voice.done(told, now)
                yield from self.eye.done(told)
            case SeenInWords():
                yield from self.eye.seen(told)
            case WordsHeard(text):
                yield from self.inbound.words(text, device, now)
            case SpeechAborted(reason):
                why = f'stopped at the body ({reason})' if reason else 'stopped at the body'
                yield from self.voice.stopped(why, now)
            case ListenChanged():
                if self.ears is not None:
                    self.ears.listening(told)
            case LineLogged():
                yield from self._logged(told)
            case _:
                if isinstance(told, SoundHeard) and self.ears is not None:
                    self.ears.sound(told, now)
                moving = self.neck.head.moving
                yield from self.readings.take(heard, stamp, moving, now)
        if self.readings.gauge.low_supply and self.neck.head.turn is not None:
            yield from self.neck.end('the supply is too low to move', now)

    def answered(self, answer: Answered, now: float) -> Iterator[Any]:
        """Hear what the device makes of a command."""
        yield from self.voice.answered(answer, now)
        yield from self.neck.answered(answer, now)
        yield from self.face.answered(answer, now)
        yield from self.eye.answered(answer)

    def cancel(self, handle: str, now: float) -> Iterator[Any]:
        """Stop doing something."""
        yield from self.voice.cancel(handle, now)
        yield from self.neck.cancel(handle, now)

    def end_all(self, speech: str, reason: str, now: float) -> Iterator[Any]:
        """End what is under way; speech that is at the device with the outcome `speech`."""
        yield from self.voice.end_all(speech, reason, now)
        yield from self.neck.end(reason, now)
        yield from self.eye.end_all(reason)
        yield from self.face.end_all(reason, now)

    def _logged(self, line: LineLogged) -> Iterator[Any]:
        if not line.warn:
            yield Report('debug', f'device: {line.text}')
        elif line.text not in self.notices and len(self.notices) < _MOST_NOTICES:
            self.notices.append(line.text)  # said once, and kept for the diagnostics
            yield Report('warning', line.text)
