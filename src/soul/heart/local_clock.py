"""Local time of a named zone, in segments within which nothing jumps.

The body clock needs the local hour at any moment, also in the future, and must not step over
what is discontinuous: a change to or from summer time, and the hours at which day and night
begin for her eyes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

DAY = 86400.0
#: Local seconds of the day at which it becomes day and night (Heart and Twin: 7 to 19 h).
DAWN = 7 * 3600.0
DUSK = 19 * 3600.0
#: Windows kept: the present and what is looked at in the future.
KEPT = 4


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time with one offset, all in the day or all in the night."""

    start: float  # s since 1970
    end: float
    offset: float  # s east of UTC
    day: bool

    def local(self, at: float) -> float:
        """Local second of the day, 0..86400."""
        return (at + self.offset) % DAY


class LocalClock:
    """The clock on the wall of one zone.

    Parameters
    ----------
    zone
        The zone; None: the host's.
    """

    def __init__(self, zone: ZoneInfo | None) -> None:
        self.zone = zone
        self._windows: list[Window] = []

    def offset(self, at: float) -> float:
        """Seconds east of UTC at a time in seconds since 1970."""
        if self.zone is None:
            return float(time.localtime(at).tm_gmtoff)
        offset = datetime.fromtimestamp(at, self.zone).utcoffset() or timedelta()
        return offset.total_seconds()

    def hour(self, at: float) -> float:
        """Local hour of the day, 0..24."""
        return self.window(at).local(at) / 3600.0

    def window(self, at: float) -> Window:
        """Return the window around a time."""
        for window in self._windows:
            if window.start <= at < window.end:
                return window
        found = self._find(at)
        self._windows = [found, *self._windows[: KEPT - 1]]
        return found

    def _find(self, at: float) -> Window:
        offset = self.offset(at)
        local = (at + offset) % DAY
        day = DAWN <= local < DUSK
        begun = DAWN if day else (DUSK if local >= DUSK else DUSK - DAY)
        ends = DUSK if day else (DAWN + DAY if local >= DUSK else DAWN)
        # The second of the day may round up to the very end at large times.
        start, end = min(at, at - (local - begun)), max(at + (ends - local), at + 1e-6)
        if self.offset(start) != offset:
            start = self._change(start, at, offset)
        if self.offset(end) != offset:
            end = self._change(end, at, offset)
        return Window(start, end, offset, day)

    def _change(self, far: float, near: float, offset: float) -> float:
        """Find the whole second at which the offset begins or ends to be `offset`."""
        if far < near:
            low, high = int(far) - 1, int(near) + 1  # the first second with `offset`
            while high - low > 1:
                middle = (low + high) // 2
                if self.offset(middle) == offset:
                    high = middle
                else:
                    low = middle
            return min(float(high), near)
        low, high = int(near), int(far) + 1  # the first second without
        while high - low > 1:
            middle = (low + high) // 2
            if self.offset(middle) == offset:
                low = middle
            else:
                high = middle
        return float(high)
