"""When somebody begins and ends to say something: the turns in a stream of sound.

A turn ends when it has been silent for long enough. Before that, at the first longer pause, what
was said so far is given out already, so that it can be understood in the time until it is certain
that nothing more comes.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from soul.voice.sound import EAR_RATE


@dataclass(frozen=True)
class TurnRules:
    """Times in s, likelihoods 0..1.

    Attributes
    ----------
    begin, go_on
        Speech begins at the one likelihood and goes on above the other.
    end
        So much silence ends a turn.
    guess
        After so much silence it is given out as it may be whole.
    shortest
        A turn with less speech is none.
    longest
        A turn is cut after so much.
    before
        So much of what came before is part of it.
    lasts
        Who has spoken for so long means it: it may interrupt.
    """

    begin: float = 0.5
    go_on: float = 0.35
    end: float = 0.8
    guess: float = 0.3
    shortest: float = 0.09
    longest: float = 30.0
    before: float = 0.3
    lasts: float = 0.4


@dataclass(frozen=True)
class TurnBegan:
    """Somebody has begun to speak; `at`: s of the time of capture."""

    turn: int
    at: float


@dataclass(frozen=True)
class TurnLasts:
    """It goes on; `at`: s of the time of capture."""

    turn: int
    at: float


@dataclass(frozen=True)
class TurnPaused:
    """What was said so far, if nothing more should come: 16 bit, 16 kHz."""

    turn: int
    guess: int
    samples: bytes


@dataclass(frozen=True)
class TurnEnded:
    """The turn is over; what was said is that of the guess of the same number.

    Attributes
    ----------
    began, ended
        First and last speech, s of the time of capture.
    voiced
        How much of it was speech, s.
    """

    turn: int
    guess: int
    samples: bytes
    began: float
    ended: float
    voiced: float


@dataclass(frozen=True)
class TurnDropped:
    """It was too short to be speech; `at`: s of the time of capture."""

    turn: int
    at: float


TurnEvent = TurnBegan | TurnLasts | TurnPaused | TurnEnded | TurnDropped


class TurnFinder:
    """Finds the turns in windows of sound that somebody else has judged."""

    def __init__(self, rules: TurnRules = TurnRules()) -> None:
        self._rules = rules
        self._turn = 0
        self._guess = 0
        self._before: deque[bytes] = deque()
        self._before_seconds = 0.0
        self._began = self._last = -math.inf
        self._pieces: list[bytes] = []
        self._voiced = self._silent = 0.0
        self._guessed = False
        self._said = b''

    @property
    def speaking(self) -> bool:
        """Whether a turn is under way."""
        return bool(self._began > -math.inf)

    def add(self, window: bytes, likelihood: float, at: float) -> Iterator[TurnEvent]:
        """Take a window.

        Parameters
        ----------
        window
            16 bit, little-endian, mono, 16 kHz.
        likelihood
            That there is speech in it, 0..1.
        at
            When its end was captured, s.
        """
        rules, seconds = self._rules, len(window) / 2 / EAR_RATE
        if not self.speaking:
            if likelihood < rules.begin:
                self._remember(window, seconds)
                return
            self._turn += 1
            self._began = at - seconds
            self._pieces = list(self._before)
            self._before.clear()
            self._before_seconds = 0.0
            yield TurnBegan(self._turn, self._began)
        self._pieces.append(window)
        if likelihood >= (rules.go_on if self._silent == 0.0 else rules.begin):
            self._voiced += seconds
            self._last = at
            self._silent = 0.0
            self._guessed = False
            if self._voiced - seconds < rules.lasts <= self._voiced:
                yield TurnLasts(self._turn, at)
        else:
            self._silent += seconds
        if self._silent >= rules.guess and not self._guessed and self._voiced >= rules.shortest:
            self._guessed = True
            self._guess += 1
            self._said = b''.join(self._pieces)
            yield TurnPaused(self._turn, self._guess, self._said)
        if self._silent >= rules.end or at - self._began >= rules.longest:
            yield from self.end()

    def end(self) -> Iterator[TurnEvent]:
        """End the turn that is under way, if any."""
        if not self.speaking:
            return
        if self._voiced < self._rules.shortest:
            yield TurnDropped(self._turn, max(self._began, self._last))
        else:
            if not self._guessed:
                self._guess += 1
                self._said = b''.join(self._pieces)
            yield TurnEnded(
                self._turn, self._guess, self._said, self._began, self._last, self._voiced
            )
        self._clear()

    def forget(self) -> None:
        """Forget what was heard: it is not to be heard."""
        self._clear()
        self._before.clear()
        self._before_seconds = 0.0

    def _clear(self) -> None:
        self._began = self._last = -math.inf
        self._pieces = []
        self._voiced = self._silent = 0.0
        self._guessed = False
        self._said = b''

    def _remember(self, window: bytes, seconds: float) -> None:
        self._before.append(window)
        self._before_seconds += seconds
        while self._before_seconds > self._rules.before + 1e-9 and self._before:
            self._before_seconds -= len(self._before.popleft()) / 2 / EAR_RATE
