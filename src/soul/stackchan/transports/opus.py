"""Opus sound, by the system's libopus; without it nothing is decoded.

Four functions of a stable C interface: the bindings on PyPI are older than the Pythons here, or
bring a whole media framework along.
"""

from __future__ import annotations

import ctypes
import ctypes.util

#: What is made of it: 16 bit, mono.
RATE = 16_000
_LONGEST = RATE * 120 // 1000  # samples; no packet holds more

MISSING = 'libopus is not installed (Debian, Ubuntu: sudo apt install libopus0)'


class Opus:
    """The library.

    Parameters
    ----------
    path
        Where it is; empty: where the system has it.

    Raises
    ------
    OSError
        If it is not there, or something else is.
    """

    def __init__(self, path: str = '') -> None:
        found = path or ctypes.util.find_library('opus')
        if not found:
            raise OSError(MISSING)
        library = ctypes.CDLL(found)
        try:
            self.create = library.opus_decoder_create
            self.destroy = library.opus_decoder_destroy
            self.decode = library.opus_decode
        except AttributeError as error:
            raise OSError(f'{found} is not libopus: {error}') from error
        self.create.restype = ctypes.c_void_p
        self.create.argtypes = [ctypes.c_int32, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]
        self.destroy.restype = None
        self.destroy.argtypes = [ctypes.c_void_p]
        self.decode.restype = ctypes.c_int
        self.decode.argtypes = [
            ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_int16),
            ctypes.c_int, ctypes.c_int,
        ]  # fmt: skip


class OpusDecoder:
    """Decodes one stream of packets."""

    def __init__(self, opus: Opus) -> None:
        self._opus = opus
        error = ctypes.c_int()
        self._state = opus.create(RATE, 1, ctypes.byref(error))
        if not self._state:
            raise OSError(f'libopus makes no decoder: error {error.value}')
        self._samples = (ctypes.c_int16 * _LONGEST)()

    def decode(self, packet: bytes) -> bytes:
        """Decode a packet to samples at :data:`RATE`, 16 bit, little-endian, mono.

        Raises
        ------
        ValueError
            If it is none.
        """
        count = self._opus.decode(self._state, packet, len(packet), self._samples, _LONGEST, 0)
        if count < 0 or not packet:
            raise ValueError('no Opus packet')
        return bytes(memoryview(self._samples).cast('B')[: 2 * count])

    def close(self) -> None:
        """Let go of it."""
        state, self._state = self._state, None
        if state:
            self._opus.destroy(state)
