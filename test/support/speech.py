"""Recordings of people who are not her, and how well what was understood fits."""

import re
import unicodedata
from functools import cache
from pathlib import Path

import yaml

from soul.voice.sound import EAR_RATE
from soul.wire import opus as codec
from soul.wire.sound_frames import unpack
from support import opus

FOLDER = Path(__file__).resolve().parents[1] / 'unit' / 'data' / 'speech'
TEXTS = yaml.safe_load((FOLDER / 'texts.yaml').read_text(encoding='utf-8'))


@cache
def packets(name: str) -> tuple[bytes, ...]:
    """A recording as packets of Opus, 16 kHz, 60 ms."""
    data, found = (FOLDER / f'{name}.opus3').read_bytes(), []
    while data:
        size = 4 + int.from_bytes(data[2:4], 'big')
        found.append(unpack(data[:size], 3))
        data = data[size:]
    return tuple(found)


@cache
def samples(name: str) -> bytes:
    """A recording as samples, 16 kHz."""
    decoder = codec.OpusDecoder(codec.Opus(opus.library()))
    try:
        return b''.join(map(decoder.decode, packets(name)))
    finally:
        decoder.close()


def quiet(seconds: float) -> bytes:
    """Silence, 16 kHz."""
    return bytes(2 * round(seconds * EAR_RATE))


def words(text: str) -> list[str]:
    """What is compared: words, or characters of Chinese and Japanese."""
    plain = unicodedata.normalize('NFKC', text).casefold()
    plain = re.sub(r"[^\w\s']", ' ', plain)
    if re.search(r'[\u3040-\u9fff]', plain):
        return [char for char in plain if not char.isspace()]
    return plain.split()


def wrong(heard: str, said: str) -> float:
    """Share of words, or of wide characters, that were understood wrongly."""
    got, meant = words(heard), words(said)
    row = list(range(len(got) + 1))
    for number, word in enumerate(meant, 1):
        before, row[0] = row[0], number
        for at, other in enumerate(got, 1):
            before, row[at] = row[at], min(
                row[at] + 1, row[at - 1] + 1, before + (word != other)
            )  # fmt: skip
    return row[-1] / max(1, len(meant))
