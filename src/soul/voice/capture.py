"""When sound was captured, and whether she was speaking then.

Packets come late and in bursts; what counts is when the microphone heard them. A body sends them
without gaps, so the earliest one tells about all.
"""

from __future__ import annotations

import math
from collections import deque

_GAP = 1.0  # s; a microphone that was silent for longer has begun anew
_KEPT = 16  # stretches of own speech


class CaptureClock:
    """The time of capture of a stream of packets.

    Parameters
    ----------
    slack
        The estimate follows a clock that runs slower than ours by so much, s for a second.
    """

    def __init__(self, slack: float = 0.0005) -> None:
        self._slack = slack
        self.reset()

    def reset(self) -> None:
        """A new stream begins."""
        self._at = math.nan  # end of what was captured
        self._came = -math.inf

    def captured(self, seconds: float, now: float) -> float:
        """Take a packet that has come now; returns when its end was captured.

        Parameters
        ----------
        seconds
            Of sound in it.
        """
        if math.isnan(self._at) or now - self._came > _GAP + seconds:
            self._at = now
        else:
            late = self._slack * seconds
            self._at = min(self._at + seconds + late, now)
        self._came = now
        return self._at


class OwnVoice:
    """When she was to be heard.

    Parameters
    ----------
    tail
        After her last sound, so long the room still sounds of it, s.
    """

    def __init__(self, tail: float) -> None:
        self.tail = tail
        # first and last of her sound, and until when the room sounds of it
        self._spans: deque[tuple[float, float, float]] = deque(maxlen=_KEPT)
        self._began = math.nan
        self._before = 0.0  # s that she was to be heard

    def seconds(self, now: float) -> float:
        """How long she was to be heard up to now, all in all, s."""
        return self._before + (now - self._began if self.speaking else 0.0)

    @property
    def speaking(self) -> bool:
        """Whether she is."""
        return not math.isnan(self._began)

    def begin(self, now: float) -> None:
        """Her first sound is on its way."""
        if not self.speaking:
            self._began = now

    def end(self, now: float, silent: bool = False) -> None:
        """Her last sound has been played.

        Parameters
        ----------
        silent
            The body had cut it off itself by then: the room sounds of it no more.
        """
        if self.speaking:
            self._spans.append((self._began, now, now + (0.0 if silent else self.tail)))
            self._before += max(0.0, now - self._began)
            self._began = math.nan

    def drowned(self, begin: float, end: float) -> bool:
        """Whether she was to be heard in what was captured from `begin` to `end`, or the room."""
        if self.speaking and end >= self._began:
            return True
        return any(begin <= over and end >= first for first, _, over in self._spans)

    def covers(self, begin: float, end: float) -> bool:
        """Whether she herself was to be heard then, not only what the room kept of it."""
        if self.speaking and end >= self._began:
            return True
        return any(begin < last and end >= first for first, last, _ in self._spans)
