"""libopus for tests: where it is, and an encoder."""

import ctypes
import ctypes.util
import importlib.util
import math
from array import array
from pathlib import Path

_VOIP = 2048


def library() -> str:
    """Path of libopus: the system's, or one that another package has brought; empty: none."""
    if found := ctypes.util.find_library('opus'):
        return found
    bundled = importlib.util.find_spec('opuslib_next')
    if bundled and bundled.origin:
        path = Path(bundled.origin).parent / '_native' / 'libopus.so'
        if path.is_file():
            return str(path)
    spec = importlib.util.find_spec('av')
    folder = Path(spec.origin).parents[1] / 'av.libs' if spec and spec.origin else Path('/none')
    return next((str(path) for path in sorted(folder.glob('libopus-*.so*'))), '')


def tone(hertz: float, seconds: float, rate: int = 16_000) -> array:
    """A tone of half the greatest loudness."""
    count = round(seconds * rate)
    return array(
        'h', (round(16_000 * math.sin(2 * math.pi * hertz * n / rate)) for n in range(count))
    )


def encode(samples: array, rate: int = 16_000, milliseconds: int = 60) -> list[bytes]:
    """Samples as Opus packets."""
    opus = ctypes.CDLL(library())
    opus.opus_encoder_create.restype = ctypes.c_void_p
    opus.opus_encode.argtypes = [
        ctypes.c_void_p, ctypes.POINTER(ctypes.c_int16), ctypes.c_int, ctypes.c_char_p,
        ctypes.c_int32,
    ]  # fmt: skip
    opus.opus_encoder_destroy.argtypes = [ctypes.c_void_p]
    encoder = opus.opus_encoder_create(rate, 1, _VOIP, None)
    size, packets = rate * milliseconds // 1000, []
    for start in range(0, len(samples) - size + 1, size):
        frame = (ctypes.c_int16 * size)(*samples[start : start + size])
        room = ctypes.create_string_buffer(4000)
        count = opus.opus_encode(encoder, frame, size, room, 4000)
        assert count > 0
        packets.append(room.raw[:count])
    opus.opus_encoder_destroy(encoder)
    return packets
