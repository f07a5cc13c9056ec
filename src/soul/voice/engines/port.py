"""The two interfaces behind which all engines stand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from soul.voice.sound import Clip


class EngineMissing(Exception):
    """An engine cannot be had; says what to do about it."""


class EngineFailed(Exception):
    """An engine did not do what it was asked for this time; says why."""


@dataclass(frozen=True)
class Understood:
    """What an engine makes of a stretch of sound.

    Attributes
    ----------
    seconds
        Length of the sound, s.
    doubt
        How likely it is that nobody spoke, 0..1; NaN: the engine does not say.
    certainty
        Mean logarithm of the likelihood of its words; NaN: the engine does not say.
    """

    text: str
    seconds: float
    doubt: float = math.nan
    certainty: float = math.nan


class MouthEngine(Protocol):
    """Makes sound of text.

    Attributes
    ----------
    name
        Of the engine and its voice, for people.
    language
        The language that it reads.
    """

    name: str
    language: str

    def speak(self, sentence: str) -> Iterator[Clip]:
        """Give the sound of a sentence in pieces, in order, as soon as each is there.

        Raises
        ------
        EngineFailed
            If it cannot.
        """


class EarEngine(Protocol):
    """Makes text of sound.

    Attributes
    ----------
    name
        Of the engine and its model, for people.
    """

    name: str

    def understand(self, samples: bytes, language: str) -> Understood:
        """Say what was said.

        Parameters
        ----------
        samples
            16 bit, little-endian, mono, 16 kHz.

        Raises
        ------
        EngineFailed
            If it cannot.
        """
