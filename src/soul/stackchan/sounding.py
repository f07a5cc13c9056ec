"""Her speech as sound, for a body that has a loudspeaker and no voice of its own.

The voice makes sound sentence by sentence, elsewhere; it goes to the body frame by frame, by the
clock, once for each utterance. What has not been sent when it is broken off never is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from soul.stackchan.config import StackChanConfig
from soul.stackchan.transports.commands import (
    BodyCommand,
    HushCommand,
    MouthCommand,
    SentenceCommand,
    SoundBegin,
    SoundEnd,
    SoundPacket,
    can,
)
from soul.stackchan.transports.port import BodyPort
from soul.voice.capture import OwnVoice
from soul.voice.messages import Complete, Piece
from soul.voice.player import PlayBegin, PlayEnd, Player, PlayFrame, PlayRules, PlaySentence
from soul.voice.sound import Clip

#: So long nothing may happen to an utterance before it is given up, s.
_PATIENCE = 40.0
#: The mouth is moved with every second frame.
_MOUTH_EVERY = 2

#: Makes of a frame of samples what the body takes.
Encode = Callable[[bytes], bytes]


class VoicePort(Protocol):
    """Voice and ears, as the driver knows them: nothing blocks."""

    def speak(self, text: str, of_it: Callable[[Piece | Complete], None]) -> int:
        """Make sound of a text; returns its number."""

    def hush(self, id: int) -> None:
        """Make no more sound of it."""

    def hear(self, samples: bytes, at: float, own: bool = False, tail: bool = False) -> None:
        """Take sound of the microphone."""

    def turn_over(self) -> None:
        """Whoever speaks has finished."""

    def forget(self) -> None:
        """What was heard so far is void."""

    def spoke(self, text: str) -> None:
        """She speaks this by other means."""


class SoundSpeech:
    """One utterance at a time.

    Parameters
    ----------
    rate
        Of the sound that the body takes, Hz.
    encoder
        Makes what encodes one utterance.
    of_it
        Takes what the voice makes, from its thread to the driver's.

    Attributes
    ----------
    own
        When she was to be heard.
    why
        Why the voice made no sound of the last utterance; empty: it did.
    underruns
        How often a body had nothing to play in the middle.
    acknowledges
        The body's acknowledgement of the end shows that it has been played; others are asked.
    ended_at
        When the end of the last utterance was sent, s; NaN: it was not.
    """

    def __init__(
        self,
        config: StackChanConfig,
        port: BodyPort,
        voice: VoicePort,
        rate: int,
        encoder: Callable[[], Encode],
        of_it: Callable[[Piece | Complete], None],
    ) -> None:
        self.own = OwnVoice(config.ears_tail)
        self.acknowledges = config.transport == 'serial'
        self.why = ''
        self.underruns = 0
        self._rules = PlayRules(
            rate, config.voice_lead, config.voice_settle, config.voice_stop_after
        )
        self._port = port
        self._voice = voice
        self._encoder = encoder
        self._of_it = of_it
        self._player: Player | None = None
        self._number = 0  # of the utterance, as the voice counts
        self.ended_at = math.nan  # when its end was sent
        self._end_id = ''  # of the command that did
        self._moved = -math.inf  # when anything happened to it
        self._frames = 0

    @property
    def possible(self) -> bool:
        """Whether the body that is there is to be spoken through."""
        caps = self._port.about.capabilities if self._port.about is not None else ()
        return self._port.joined and 'spk' in caps and 'tts' not in caps

    @property
    def active(self) -> bool:
        """Whether an utterance is under way."""
        return self._player is not None

    @property
    def begun(self) -> bool:
        """Whether any of its sound has been sent."""
        return self._player is not None and self._player.begun

    @property
    def failed(self) -> bool:
        """Whether it is over, and no sound came of it at all."""
        return self._player is not None and self._player.ended and not self._player.begun

    def begin(self, text: str, now: float) -> None:
        """Begin to speak."""
        self._player = Player(self._rules, self._encoder())
        self._end_id = self.why = ''
        self.ended_at = math.nan
        self._moved = now
        self._frames = 0
        self._number = self._voice.speak(text, self._of_it)

    def made(self, message: Piece | Complete, now: float) -> None:
        """Take what the voice has made; what belongs to an earlier utterance is void."""
        if self._player is None or message.id != self._number or self._player.ended:
            return
        self._moved = now
        if isinstance(message, Piece):
            self._player.add(message.text, Clip(message.samples, message.rate))
        else:
            self.why = message.why
            self._player.complete(message.why)

    def due(self) -> float:
        """When :meth:`step` has something to do next."""
        return self._player.due() if self._player is not None else math.inf

    def until(self) -> float:
        """When it is given up if nothing more happens."""
        return self._moved + _PATIENCE

    def step(self, now: float) -> None:
        """Send what is due."""
        if self._player is None:
            return
        for step in self._player.step(now):
            self._moved = now
            match step:
                case PlayBegin():
                    self._port.send(SoundBegin(self._rules.rate), now)
                case PlaySentence(text):
                    self._send(SentenceCommand(text), now)
                case PlayFrame(data, loud):
                    self.own.begin(now)
                    self._port.send(SoundPacket(data), now)
                    if self._frames % _MOUTH_EVERY == 0:
                        self._send(MouthCommand(loud), now)
                    self._frames += 1
                case PlayEnd():
                    self._end_id = self._port.send(SoundEnd(), now)
                    self.ended_at = now
                    self._send(MouthCommand(0.0), now)
                    self._heard_out(now)

    def ended_by(self, id: str) -> bool:
        """Whether `id` is the command that ended the utterance."""
        return bool(self._end_id) and id == self._end_id

    def spoken(self, now: float) -> str:
        """Return the words that have been heard of it."""
        return self._player.spoken(now) if self._player is not None else ''

    def seconds(self, now: float) -> float:
        """How much of it has been heard, s."""
        return self._player.seconds(now) if self._player is not None else 0.0

    def break_off(self, now: float, silent: bool = False) -> None:
        """Send nothing more of it, and let the body be silent.

        Parameters
        ----------
        silent
            It is already: whoever speaks now is listened to at once.
        """
        if self._player is None:
            return
        self._voice.hush(self._number)
        if self._port.joined and self.begun and not self._end_id:
            self._port.send(HushCommand(), now)
            self._send(MouthCommand(0.0), now)
        self.close(now, silent)

    def close(self, now: float, silent: bool = False) -> None:
        """It is over."""
        self._heard_out(now, silent)
        self._player = None
        self._end_id = ''

    def _heard_out(self, now: float, silent: bool = False) -> None:
        if self._player is not None and self.own.speaking:
            self.underruns += self._player.underruns
            self.own.end(self._player.over(now), silent)

    def _send(self, command: BodyCommand, now: float) -> None:
        """Send what not every body can do."""
        caps = self._port.about.capabilities if self._port.about is not None else ()
        if can(caps, command) and self._port.joined:
            self._port.send(command, now)
