"""The microphone of a device that dials: while it listens it sends 60 ms of sound at a time.

What somebody says comes from a file, or from a test; in between there is silence.
"""

from __future__ import annotations

import math
import wave
from collections.abc import Iterator
from pathlib import Path

from soul.wire.opus import FRAME_MS, RATE, Opus, OpusEncoder

_SECONDS = FRAME_MS / 1000.0
_BYTES = 2 * RATE * FRAME_MS // 1000
_BEHIND = 1.0  # s; what it is later than that is not made up for


class MockMicrophone:
    """Makes packets of Opus of what is said.

    Parameters
    ----------
    library
        libopus; None: it is deaf.
    """

    def __init__(self, library: Opus | None) -> None:
        self._library = library
        self._encoder: OpusEncoder | None = None
        self._said = bytearray()
        self._next = math.inf

    @property
    def listens(self) -> bool:
        """Whether it sends what it hears."""
        return self._next < math.inf

    @property
    def left(self) -> float:
        """How long somebody goes on to speak, s."""
        return len(self._said) / 2 / RATE

    def hear(self, samples: bytes) -> None:
        """Somebody says something: 16 bit, little-endian, mono, 16 kHz."""
        self._said += samples

    def hear_file(self, path: Path) -> None:
        """Somebody says what is in a WAV file.

        Raises
        ------
        ValueError
            If it is none that fits; says why.
        """
        try:
            with wave.open(str(path), 'rb') as file:
                shape = (file.getnchannels(), file.getsampwidth(), file.getframerate())
                if shape != (1, 2, RATE):
                    raise ValueError(f'{path}: needed is mono sound of 16 bit at {RATE} Hz')
                self.hear(file.readframes(file.getnframes()))
        except (OSError, EOFError, wave.Error) as error:
            raise ValueError(f'{path}: {error}') from error

    def listen(self, on: bool, now: float) -> None:
        """Begin to listen, or end."""
        if self._library is None or on is self.listens:
            return
        self._next = now + _SECONDS if on else math.inf
        if self._encoder is not None:
            self._encoder.close()
        self._encoder = OpusEncoder(self._library, RATE) if on else None

    def packets(self, now: float) -> Iterator[bytes]:
        """Yield what is due."""
        if now - self._next > _BEHIND:
            self._next = now
        while self._next <= now and self._encoder is not None:
            self._next += _SECONDS
            piece = bytes(self._said[:_BYTES])
            del self._said[:_BYTES]
            yield self._encoder.encode(piece + bytes(_BYTES - len(piece)))

    def due(self) -> float:
        """When there is a packet."""
        return self._next

    def close(self) -> None:
        """Let go of the encoder."""
        self._next = math.inf
        if self._encoder is not None:
            self._encoder.close()
            self._encoder = None
