"""The loudspeaker of a device that dials: a short queue of packets, played by the clock.

As in the firmware, what comes while it is not to speak is dropped, and what comes on top of a full
queue, too: without a word.
"""

from __future__ import annotations

import math
import wave
from collections import deque
from pathlib import Path

from soul.wire.opus import FRAME_MS, Opus, OpusDecoder

#: Packets that wait for being played.
QUEUE = 40
#: From being told to speak to doing so, s.
BEGINS = 0.05
#: Rate of what it plays, Hz.
RATE = 24_000

_SECONDS = FRAME_MS / 1000.0
_KEPT = 2000  # packets that were played
_FRAME = b'\0\0' * (RATE * FRAME_MS // 1000)


class Loudspeaker:
    """Plays packets of Opus.

    Parameters
    ----------
    library
        libopus, with which what was played is written down; None: only counted.
    path
        The WAV file for it, written anew; None: there is none.

    Attributes
    ----------
    played
        The newest packets that were played.
    silent_drops, full_drops
        How many packets came while it was not to speak, and while its queue was full.
    underruns
        How often it had nothing to play in the middle of an utterance.
    """

    def __init__(self, library: Opus | None, path: Path | None) -> None:
        self.played: deque[bytes] = deque(maxlen=_KEPT)
        self.silent_drops = self.full_drops = self.underruns = 0
        self._library = library
        self._decoder: OpusDecoder | None = None
        self._file: wave.Wave_write | None = None
        if path is not None and library is not None:
            self._file = wave.open(str(path), 'wb')  # noqa: SIM115  # closed by close()
            self._file.setparams((1, 2, RATE, 0, 'NONE', ''))
        self._speaks_from = math.inf  # since when it is to speak; inf: it is not
        self._ending = False  # it is to fall silent once its queue is empty
        self._queue: deque[tuple[float, bytes]] = deque()  # when each begins to sound
        self._ends = -math.inf  # when the last one has sounded

    @property
    def speaks(self) -> bool:
        """Whether it is to speak."""
        return self._speaks_from < math.inf

    def begin(self, now: float) -> None:
        """It is to speak, a moment later; whatever was before is forgotten."""
        self._speaks_from, self._ending = now + BEGINS, False
        self._queue.clear()
        self._ends = -math.inf
        self._reset_decoder()

    def end(self, now: float, clear: bool) -> None:
        """It is to fall silent, at once or once it has played what it has."""
        self.step(now)
        if clear:
            self._queue.clear()
            self._ends = now
        self._ending = True

    def cut(self) -> None:
        """Fall silent at once."""
        self._queue.clear()
        self._speaks_from, self._ending = math.inf, False

    def take(self, packet: bytes, now: float) -> None:
        """Take a packet."""
        self.step(now)
        if now < self._speaks_from or self._ending:
            self.silent_drops += 1
        elif len(self._queue) >= QUEUE:
            self.full_drops += 1
        else:
            if self._ends < now:
                if self._ends > -math.inf:
                    self.underruns += 1
                    self._pause(now - self._ends)
                self._ends = now
            self._queue.append((self._ends, packet))
            self._ends += _SECONDS

    def step(self, now: float) -> bool:
        """Play what is due; returns whether it has fallen silent as it was told to."""
        while self._queue and self._queue[0][0] <= now:
            _, packet = self._queue.popleft()
            self.played.append(packet)
            self._write(packet)
        if self._ending and not self._queue and now >= self._ends:
            self._speaks_from, self._ending = math.inf, False
            return True
        return False

    def due(self) -> float:
        """When something is to be played, or it falls silent."""
        if self._queue:
            return self._queue[0][0]
        return self._ends if self._ending else math.inf

    def close(self) -> None:
        """Finish the file."""
        self._reset_decoder()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _pause(self, seconds: float) -> None:
        if self._file is not None:
            self._file.writeframes(b'\0\0' * round(min(seconds, 10.0) * RATE))

    def _write(self, packet: bytes) -> None:
        if self._file is None or self._library is None:
            return
        if self._decoder is None:
            self._decoder = OpusDecoder(self._library, RATE)
        try:
            self._file.writeframes(self._decoder.decode(packet))
        except ValueError:
            self._file.writeframes(_FRAME)

    def _reset_decoder(self) -> None:
        if self._decoder is not None:
            self._decoder.close()
            self._decoder = None
