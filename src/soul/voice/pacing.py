"""When each frame of an utterance is due: as fast as it is played, a little ahead.

A body holds few frames and drops the rest without a word, so they are sent by the clock.
"""

from __future__ import annotations

import math


class Pacer:
    """The clock of one utterance.

    Frames are counted from 0. Frame `n` is played `n` lengths after the first, and is sent at most
    `lead` lengths before; where the sound came too late the rest is played later by as much.

    Parameters
    ----------
    length
        Of a frame, s.
    lead
        So many frames may be ahead of what is being played.
    """

    def __init__(self, length: float, lead: int) -> None:
        self.sent = 0  # frames
        self.underruns = 0  # how often there was nothing to play
        self.begun = math.nan  # when the first frame was sent; NaN: none was
        self._length = length
        self._lead = lead
        self._origin = math.nan  # when frame 0 would have begun to play

    def due(self) -> float:
        """When the next frame may be sent; -inf: at once."""
        if not self.sent:
            return -math.inf
        return self._origin + (self.sent - self._lead) * self._length

    def send(self, now: float) -> None:
        """A frame has been sent."""
        if not self.sent:
            self.begun = self._origin = now
        elif now > self.played():
            self.underruns += 1
            self._origin = now - self.sent * self._length
        self.sent += 1

    def played(self) -> float:
        """When all that was sent has been played; -inf: nothing was."""
        return self._origin + self.sent * self._length if self.sent else -math.inf

    def ahead(self, now: float) -> float:
        """How much of what was sent has not been played yet, s."""
        return max(0.0, self.played() - now)

    def heard(self, now: float) -> float:
        """How much has been played, s; pauses in between count for nothing."""
        return max(0.0, self.sent * self._length - self.ahead(now))
