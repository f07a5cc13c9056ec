"""Opus sound, by libopus; without it nothing is encoded or decoded.

Six functions of a stable C interface: the bindings on PyPI are older than the Pythons here, or
bring a whole media framework along.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
from pathlib import Path

#: What is made of a microphone's packets, Hz: 16 bit, mono.
RATE = 16_000
#: Length of a packet of the xiaozhi protocol, ms.
FRAME_MS = 60

MISSING = (
    'libopus is not installed (Debian, Ubuntu: sudo apt install libopus0, or the package '
    'opuslib-next-bundled)'
)

_LONGEST_MS = 120  # no packet holds more
_LARGEST = 1500  # bytes of a packet
_VOIP = 2048


class Opus:
    """The library.

    Parameters
    ----------
    path
        Where it is; empty: where the system or the package opuslib-next-bundled has it.

    Raises
    ------
    OSError
        If it is not there, or something else is.
    """

    def __init__(self, path: str = '') -> None:
        found = path or ctypes.util.find_library('opus') or _bundled()
        if not found:
            raise OSError(MISSING)
        library = ctypes.CDLL(found)
        try:
            self.create_decoder = library.opus_decoder_create
            self.destroy_decoder = library.opus_decoder_destroy
            self.decode = library.opus_decode
            self.create_encoder = library.opus_encoder_create
            self.destroy_encoder = library.opus_encoder_destroy
            self.encode = library.opus_encode
        except AttributeError as error:
            raise OSError(f'{found} is not libopus: {error}') from error
        state, samples = ctypes.c_void_p, ctypes.POINTER(ctypes.c_int16)
        error_code = ctypes.POINTER(ctypes.c_int)
        self.create_decoder.restype = self.create_encoder.restype = state
        self.create_decoder.argtypes = [ctypes.c_int32, ctypes.c_int, error_code]
        self.create_encoder.argtypes = [ctypes.c_int32, ctypes.c_int, ctypes.c_int, error_code]
        for destroy in (self.destroy_decoder, self.destroy_encoder):
            destroy.restype = None
            destroy.argtypes = [state]
        self.decode.restype = ctypes.c_int
        self.decode.argtypes = [
            state, ctypes.c_char_p, ctypes.c_int32, samples, ctypes.c_int, ctypes.c_int,
        ]  # fmt: skip
        self.encode.restype = ctypes.c_int32
        self.encode.argtypes = [state, samples, ctypes.c_int, ctypes.c_char_p, ctypes.c_int32]


def _bundled() -> str:
    """Return the path of the library in a package that brings it along; empty: there is none."""
    found = importlib.util.find_spec('opuslib_next')
    if found is None or found.origin is None:
        return ''
    path = Path(found.origin).parent / '_native' / 'libopus.so'
    return str(path) if path.is_file() else ''


class OpusDecoder:
    """Decodes one stream of packets to `rate` Hz."""

    def __init__(self, opus: Opus, rate: int = RATE) -> None:
        self._opus = opus
        error = ctypes.c_int()
        self._state = opus.create_decoder(rate, 1, ctypes.byref(error))
        if not self._state:
            raise OSError(f'libopus makes no decoder: error {error.value}')
        self._most = rate * _LONGEST_MS // 1000
        self._samples = (ctypes.c_int16 * self._most)()

    def decode(self, packet: bytes) -> bytes:
        """Decode a packet to samples: 16 bit, little-endian, mono.

        Raises
        ------
        ValueError
            If it is none.
        """
        count = self._opus.decode(
            self._state, packet, len(packet), self._samples, self._most, 0
        )  # fmt: skip
        if count < 0 or not packet:
            raise ValueError('no Opus packet')
        return bytes(memoryview(self._samples).cast('B')[: 2 * count])

    def close(self) -> None:
        """Let go of it."""
        state, self._state = self._state, None
        if state:
            self._opus.destroy_decoder(state)


class OpusEncoder:
    """Encodes one stream of speech at `rate` Hz; a stream keeps its encoder, a new one clicks."""

    def __init__(self, opus: Opus, rate: int) -> None:
        self._opus = opus
        error = ctypes.c_int()
        self._state = opus.create_encoder(rate, 1, _VOIP, ctypes.byref(error))
        if not self._state:
            raise OSError(f'libopus makes no encoder: error {error.value}')
        self._room = ctypes.create_string_buffer(_LARGEST)

    def encode(self, samples: bytes) -> bytes:
        """Encode a frame of samples (16 bit, little-endian, mono; 20, 40 or 60 ms) to a packet.

        Raises
        ------
        ValueError
            If it is no whole frame.
        """
        count = len(samples) // 2
        frame = (ctypes.c_int16 * count).from_buffer_copy(samples[: 2 * count])
        size = self._opus.encode(self._state, frame, count, self._room, _LARGEST)
        if size < 0:
            raise ValueError(f'{count} samples are no frame')
        return self._room.raw[:size]

    def close(self) -> None:
        """Let go of it."""
        state, self._state = self._state, None
        if state:
            self._opus.destroy_encoder(state)
