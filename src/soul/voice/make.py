"""Makes the engines that the parameters name."""

from __future__ import annotations

import os
from functools import partial

from soul.voice.condition import need_whole
from soul.voice.config import VoiceConfig
from soul.voice.engines.port import EarEngine, EngineMissing, MouthEngine
from soul.voice.listening import MakeEar
from soul.voice.speaking import SECOND, MakeMouth
from soul.voice.turns import TurnRules

#: Voices by language where nobody names one.
DEFAULT_VOICES = {'zh': 'zf_xiaobei'}
#: Languages whose embedded voice takes longer to make a sentence than to say it.
SLOW = frozenset({'zh'})


def mouths(config: VoiceConfig) -> list[MakeMouth]:
    """Return how to get what speaks, in the order in which they are tried."""
    embedded: MakeMouth = partial(embedded_mouth, config.voice_language, config.voice_name)
    match config.voice_engine:
        case 'url':
            return [partial(_url_mouth, config), embedded]
        case 'piper':
            return [partial(_piper, config), embedded]
        case 'embedded':
            return [embedded]
    return []


def second_mouth(config: VoiceConfig) -> MakeMouth | None:
    """Return how to get a voice for English words in a text of another language."""
    if config.voice_language == SECOND or config.voice_engine != 'embedded':
        return None
    return partial(embedded_mouth, SECOND, '')


def ears(config: VoiceConfig) -> list[MakeEar]:
    """Return how to get what understands, in the order in which they are tried."""
    embedded: MakeEar = partial(embedded_ear, config.voice_language, config.ears_threads)
    match config.ears_engine:
        case 'url':
            return [partial(_url_ear, config), embedded]
        case 'embedded':
            return [embedded]
    return []


def rules(config: VoiceConfig) -> TurnRules:
    """Return when a turn begins and ends."""
    return TurnRules(
        begin=config.ears_threshold,
        go_on=max(0.05, config.ears_threshold - 0.15),
        end=config.ears_end,
        guess=min(config.ears_guess, config.ears_end),
        longest=config.ears_longest,
    )


def embedded_mouth(language: str, voice: str) -> MouthEngine:
    """Get the embedded voice of a language.

    Raises
    ------
    EngineMissing
        If there is none, or something of it is missing.
    """
    need_whole(language, ears=False)
    match language:
        case 'en':
            from soul.voice.engines.hibari import VOICE, Hibari

            if voice not in ('', VOICE):
                raise EngineMissing(f'there is no English voice {voice!r}; there is {VOICE}')
            return Hibari()
        case 'ja':
            from soul.voice.engines.openjtalk import OpenJTalk

            if voice not in ('', 'mei'):
                raise EngineMissing(f'there is no Japanese voice {voice!r}; there is mei')
            return OpenJTalk()
        case 'zh':
            from soul.voice.engines.kokoro import Kokoro, mandarin

            return Kokoro('zh', voice or DEFAULT_VOICES['zh'], mandarin())
    raise EngineMissing(
        f'no embedded voice speaks {language!r}; there are en, ja and zh, and others with '
        'voice_engine url or piper'
    )


def embedded_ear(language: str, threads: int) -> EarEngine:
    """Get the embedded ears for a language.

    Raises
    ------
    EngineMissing
        If something of them is missing.
    """
    from soul.voice.engines import whisper

    need_whole(language, ears=True)
    if language == 'en':
        return whisper.Whisper('tiny.en', whisper.tiny, threads)
    return whisper.Whisper('base', whisper.base, threads)


def _url_mouth(config: VoiceConfig) -> MouthEngine:
    from soul.voice.engines.speech_url import Endpoint, SpeechUrl

    if not config.speech_url:
        raise EngineMissing('voice_engine is url, and speech_url names none')
    key = os.environ.get(config.voice_key_env, '')
    endpoint = Endpoint(config.speech_url, config.speech_model, key, config.voice_url_seconds)
    return SpeechUrl(
        endpoint, config.voice_language, config.voice_name, config.speech_format,
        config.speech_rate_hz,
    )  # fmt: skip


def _url_ear(config: VoiceConfig) -> EarEngine:
    from soul.voice.engines.speech_url import Endpoint
    from soul.voice.engines.transcription_url import TranscriptionUrl

    if not config.transcription_url:
        raise EngineMissing('ears_engine is url, and transcription_url names none')
    key = os.environ.get(config.voice_key_env, '')
    seconds = config.voice_url_seconds
    return TranscriptionUrl(
        Endpoint(config.transcription_url, config.transcription_model, key, seconds)
    )


def _piper(config: VoiceConfig) -> MouthEngine:
    from soul.voice.engines.piper import Piper

    if not config.voice_piper_model:
        raise EngineMissing('voice_engine is piper, and voice_piper_model names no voice')
    return Piper(config.voice_language, config.voice_piper_model, config.voice_piper)
