"""English, by hibari: small, quick, weights inside the package; no other process, no network."""

from __future__ import annotations

from collections.abc import Iterator

from soul.voice.engines.port import EngineFailed, EngineMissing
from soul.voice.engines.weights import PackagedFile, whole
from soul.voice.sound import Clip, as_samples

_MODEL = PackagedFile(
    'hibari.onnx',
    (('hibari', 'assets/hibari.onnx'),),
    '5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8',
)
#: The one voice that lies in the package; it would fetch others from the net.
VOICE = 'heart'


class Hibari:
    """The one English voice of the package.

    Raises
    ------
    EngineMissing
        If it is not installed, or not the one that is meant.
    """

    language = 'en'

    def __init__(self) -> None:
        model = whole(_MODEL)
        try:
            import hibari
        except ImportError as error:
            raise EngineMissing(f'hibari cannot be loaded ({error}): `make up VOICE=1`') from None
        self.name = f'hibari {VOICE}'
        self._voice = hibari.Hibari(VOICE, str(model), threads=1)
        self._rate = int(hibari.SAMPLE_RATE)
        self._voice('Well.')  # the first sentence loads its lexicon

    def speak(self, sentence: str) -> Iterator[Clip]:
        """Give the sound of a sentence."""
        try:
            for numbers in self._voice.stream(sentence):
                yield Clip(as_samples(numbers), self._rate)
        except (ValueError, IndexError, KeyError, RuntimeError) as error:
            raise EngineFailed(f'{self.name}: {error}') from error

    def phonemes(self, text: str) -> str:
        """Return how a text is pronounced, in the letters that Kokoro reads, too."""
        return ' '.join(self._voice.phonemize(text))
