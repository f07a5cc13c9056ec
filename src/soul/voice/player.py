"""One utterance on its way from the engine to the body: its frames, by the clock.

Knows no body and no clock of its own: what is to be done comes out of :meth:`Player.step`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from soul.voice.pacing import Pacer
from soul.voice.sound import Clip, Framer, as_floats, silence

#: Length of a frame, s.
FRAME = 0.06
#: Frames of silence before the first syllable: what switches to speaking may swallow them.
QUIET_FRAMES = 2
#: Silence between two sentences, s.
PAUSE = 0.12
_OPEN = 5.0  # loudness of speech at which a mouth is wide open, one part of this


@dataclass(frozen=True)
class PlayBegin:
    """The body is to get ready to play."""


@dataclass(frozen=True)
class PlaySentence:
    """This is spoken from the next frame on."""

    text: str


@dataclass(frozen=True)
class PlayFrame:
    """A frame, as the body takes it; `loud`: 0..1, as wide as a mouth opens."""

    data: bytes
    loud: float = 0.0


@dataclass(frozen=True)
class PlayEnd:
    """All of it has been played."""


PlayStep = PlayBegin | PlaySentence | PlayFrame | PlayEnd


@dataclass(frozen=True)
class PlayRules:
    """How a body is played to.

    Attributes
    ----------
    rate
        Of the sound it takes, Hz.
    lead
        Frames that may be ahead of what is being played.
    settle
        Between the begin and the first frame, s.
    stop_after
        Between the last sound and the end, s.
    """

    rate: int = 24_000
    lead: int = 2
    settle: float = 0.05
    stop_after: float = 0.2


class Player:
    """Plays what it is given as it comes.

    Parameters
    ----------
    encode
        Makes of a frame of samples what the body takes; one for the whole utterance.
    """

    def __init__(self, rules: PlayRules, encode: Callable[[bytes], bytes]) -> None:
        self.why = ''  # the engine could not go on; empty: it could
        self.ended = False
        self._rules = rules
        self._encode = encode
        self._framer = Framer(rules.rate, FRAME)
        self._pacer = Pacer(FRAME, rules.lead)
        self._frames: deque[PlaySentence | PlayFrame] = deque()
        self._sentences: list[tuple[int, str]] = []  # first frame of each
        self._made = 0  # frames
        self._complete = False
        self._ready = math.nan  # when the first frame may go; NaN: nothing came yet

    # --- what comes from the engine -------------------------------------------------------

    def add(self, text: str, clip: Clip) -> None:
        """Take a piece of sound; `text` if a sentence begins with it, else empty."""
        if text:
            if self._sentences:
                self._put(Clip(silence(PAUSE, self._rules.rate), self._rules.rate))
            else:
                quiet = silence(QUIET_FRAMES * FRAME, self._rules.rate)
                self._put(Clip(quiet, self._rules.rate))
            self._sentences.append((self._made, text))
            self._frames.append(PlaySentence(text))
        self._put(clip)

    def complete(self, why: str) -> None:
        """No more sound comes; `why` this is not all of it, empty: it is."""
        self.why = why
        self._complete = True
        for frame in self._framer.end():
            self._append(frame)

    def _put(self, clip: Clip) -> None:
        for frame in self._framer.add(clip):
            self._append(frame)

    def _append(self, frame: bytes) -> None:
        self._frames.append(PlayFrame(frame))
        self._made += 1

    # --- what goes to the body ------------------------------------------------------------

    @property
    def begun(self) -> bool:
        """Whether the body has been given any sound."""
        return self._pacer.sent > 0

    @property
    def underruns(self) -> int:
        """How often the body had nothing to play in the middle."""
        return self._pacer.underruns

    def due(self) -> float:
        """When :meth:`step` has something to do; inf: when more sound has come."""
        if self.ended:
            return math.inf
        if self._frames:
            if math.isnan(self._ready):
                return -math.inf
            return max(self._ready, self._pacer.due())
        if not self._complete:
            return math.inf
        return self._pacer.played() + self._rules.stop_after if self.begun else -math.inf

    def step(self, now: float) -> Iterator[PlayStep]:
        """Do what is due."""
        if self._frames and math.isnan(self._ready):
            self._ready = now + self._rules.settle
            yield PlayBegin()
        while self._frames and now >= self.due():
            step = self._frames.popleft()
            if isinstance(step, PlayFrame):
                self._pacer.send(now)
                step = PlayFrame(self._encode(step.data), _loudness(step.data))
            yield step
        if self._complete and not self._frames and not self.ended and now >= self.due():
            self.ended = True
            if self.begun:
                yield PlayEnd()

    def over(self, now: float) -> float:
        """When what was sent of it has been played, `now` at the latest."""
        return min(now, self._pacer.played())

    def seconds(self, now: float) -> float:
        """How much of it has been heard, s."""
        return max(0.0, self._pacer.heard(now) - QUIET_FRAMES * FRAME)

    def spoken(self, now: float) -> str:
        """Return the words that have been heard up to now, as far as can be told."""
        played = self._pacer.heard(now) / FRAME
        said: list[str] = []
        for number, (first, text) in enumerate(self._sentences):
            if played <= first:
                break
            last = self._sentences[number + 1][0] if number + 1 < len(self._sentences) else None
            end = last if last is not None else self._made
            share = (played - first) / max(1, end - first)
            # the end of a sentence that is still being made is not known
            whole = share >= 1.0 and (last is not None or self._complete)
            said.append(text if whole else _part(text, min(share, 0.9)))
        return ' '.join(part for part in said if part)


def _loudness(frame: bytes) -> float:
    numbers = as_floats(frame)
    return min(1.0, _OPEN * float(np.sqrt(np.mean(numbers * numbers)))) if len(numbers) else 0.0


def _part(text: str, share: float) -> str:
    """Return the first part of a text, whole words where blanks part them."""
    end = int(share * len(text))
    part = text[:end]
    if ' ' in text and end < len(text) and not text[end].isspace():
        part = part.rpartition(' ')[0]
    return f'{part.rstrip()}…' if part.strip() else ''
