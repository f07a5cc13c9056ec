"""Tries voice and ears without any body: what is said and heard, and how long it takes."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from dataclasses import dataclass

from soul.voice.client import VoiceClient, command
from soul.voice.config import VoiceConfig
from soul.voice.messages import (
    Complete,
    Engines,
    FromEars,
    HeardSpeech,
    Piece,
    SpeechBegan,
    VoiceTrouble,
)
from soul.voice.sound import EAR_RATE, Clip, at_rate, silence

_PIECE = 1920  # bytes: 60 ms
_LOAD_SECONDS = 120.0
_SPEAK_SECONDS = 120.0
_QUIET = 2.0  # s; who has not begun to speak by then does not
_WAIT = 60.0  # s for the text of what was heard
_AHEAD = 200  # pieces the ears are ahead of at most
_FAST = 0.002  # s between two pieces where nobody waits for real time


class TrialFailed(Exception):
    """Something does not work; says what, and what to do."""


@dataclass(frozen=True)
class SpokenTrial:
    """A sentence as sound.

    Attributes
    ----------
    first
        Until its first sound, s.
    whole
        Until all of it was there, s.
    """

    clip: Clip
    first: float
    whole: float


class Trial:
    """Voice and ears of a process that lives as long as this."""

    def __init__(self, config: VoiceConfig) -> None:
        self.troubles: list[str] = []
        self.engines = Engines()
        self._told: queue.SimpleQueue[FromEars] = queue.SimpleQueue()
        self._client = VoiceClient(command(config), self._told.put)
        self._end = config.ears_end
        self._at = 0.0

    def close(self) -> None:
        """End the process."""
        self._client.close()

    def load(self, mouth: bool, ear: bool) -> float:
        """Wait until what is needed is there; returns how long it took, s.

        Raises
        ------
        TrialFailed
            If it cannot be had.
        """
        began = time.monotonic()
        while True:
            known = self.engines
            if (known.mouth or known.mouth_tried or not mouth) and (
                known.ear or known.ear_tried or not ear
            ):
                break
            try:
                message = self._told.get(timeout=_LOAD_SECONDS)
            except queue.Empty:
                raise TrialFailed('the engines do not load') from None
            if isinstance(message, VoiceTrouble):
                self.troubles.append(message.text)
            elif isinstance(message, Engines):
                self.engines = message
        if (mouth and not known.mouth) or (ear and not known.ear):
            raise TrialFailed('; '.join(self.troubles) or 'there is no engine')
        return time.monotonic() - began

    def speak(self, text: str) -> SpokenTrial:
        """Make sound of a text.

        Raises
        ------
        TrialFailed
            If there is none.
        """
        told: queue.SimpleQueue[Piece | Complete] = queue.SimpleQueue()
        began = time.monotonic()
        first = 0.0
        self._client.speak(text, told.put)
        pieces: list[bytes] = []
        while True:
            try:
                message = told.get(timeout=_SPEAK_SECONDS)
            except queue.Empty:
                raise TrialFailed('the voice says nothing') from None
            if isinstance(message, Complete):
                break
            first = first or time.monotonic() - began
            pieces.append(at_rate(Clip(message.samples, message.rate), EAR_RATE).samples)
        if not pieces:
            raise TrialFailed(message.why)
        return SpokenTrial(Clip(b''.join(pieces), EAR_RATE), first, time.monotonic() - began)

    def listen(self, clip: Clip, real_time: bool = False) -> Iterator[HeardSpeech]:
        """Listen to a sound; gives each utterance in it.

        Parameters
        ----------
        real_time
            As fast as it would be spoken; otherwise faster.
        """
        samples = at_rate(clip, EAR_RATE).samples + silence(self._end + 0.5, EAR_RATE)
        began = time.monotonic()
        turns = 0
        for number, start in enumerate(range(0, len(samples), _PIECE)):
            piece = samples[start : start + _PIECE]
            self._at += len(piece) / 2 / EAR_RATE
            self._client.hear(piece, self._at)
            due = began + (start + len(piece)) / 2 / EAR_RATE if real_time else 0.0
            time.sleep(max(_FAST if number % _AHEAD else 0.0, due - time.monotonic()))
        while True:
            try:
                message = self._told.get(timeout=_WAIT if turns > 0 else _QUIET)
            except queue.Empty:
                return
            if isinstance(message, SpeechBegan):
                turns += 1
            elif isinstance(message, HeardSpeech):
                turns -= 1
                yield message
