"""Japanese, by Open JTalk: dictionary and voice inside the package."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from soul.voice.engines.port import EngineFailed, EngineMissing
from soul.voice.sound import Clip, as_samples


class OpenJTalk:
    """The voice of the package.

    Raises
    ------
    EngineMissing
        If it is not installed.
    """

    language = 'ja'

    def __init__(self) -> None:
        try:
            import pyopenjtalk
        except ImportError as error:
            raise EngineMissing(
                f'pyopenjtalk cannot be loaded ({error}): `soul voice install ja`'
            ) from None
        self.name = 'Open JTalk mei'
        self._speak = pyopenjtalk.tts
        self._read = pyopenjtalk.g2p
        self._tts('はい')  # loads the dictionary

    def speak(self, sentence: str) -> Iterator[Clip]:
        """Give the sound of a sentence."""
        try:
            yield self._tts(sentence)
        except (ValueError, RuntimeError) as error:
            raise EngineFailed(f'{self.name}: {error}') from error

    def reading(self, text: str) -> str:
        """Return how a text is read, in katakana."""
        return str(self._read(text, kana=True, use_sudachi_kanji_yomi=False))

    def _tts(self, text: str) -> Clip:
        # the larger dictionary would only read a few kanji better, and takes 200 MB
        numbers, rate = self._speak(text, use_sudachi_kanji_yomi=False)
        return Clip(
            as_samples(np.clip(numbers / 32768.0, -1.0, 1.0).astype(np.float32)), int(rate)
        )
