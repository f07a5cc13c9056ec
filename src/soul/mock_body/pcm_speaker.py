"""The loudspeaker of a device behind soul-serial: streams of samples, written down."""

from __future__ import annotations

import base64
import wave
from pathlib import Path

from soul.wire.host_frames import Pcm, Spk

_RATE = 16_000  # Hz, unless the stream says another one


class PcmSpeaker:
    """Plays samples of 16 bit, little-endian, mono.

    Parameters
    ----------
    path
        The WAV file for what it plays, written anew with each stream; None: there is none.

    Attributes
    ----------
    playing
        Whether a stream is open.
    played
        Bytes of samples that were played.
    lost
        Pieces that came in the wrong order, or while no stream was open.
    """

    def __init__(self, path: Path | None) -> None:
        self.playing = False
        self.played = self.lost = 0
        self._path = path
        self._file: wave.Wave_write | None = None
        self._next = 0

    def order(self, order: Spk) -> None:
        """Begin a stream, or end it; what was sent of one that is ended is played."""
        self.close()
        self.playing = order.op == 'start'
        self._next = 0
        if self.playing and self._path is not None:
            self._file = wave.open(str(self._path), 'wb')  # noqa: SIM115  # closed by close()
            self._file.setparams((1, 2, order.rate or _RATE, 0, 'NONE', ''))

    def take(self, piece: Pcm) -> None:
        """Take a piece of the stream."""
        if not self.playing or piece.n != self._next:
            self.lost += 1
            return
        self._next += 1
        samples = base64.b64decode(piece.b64)
        self.played += len(samples)
        if self._file is not None:
            self._file.writeframes(samples)

    def close(self) -> None:
        """Finish the file."""
        self.playing = False
        if self._file is not None:
            self._file.close()
            self._file = None
