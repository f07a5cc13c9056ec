"""The wire as the device sees it, with what faults do to it."""

from __future__ import annotations

import math
import random
from collections import deque
from typing import Protocol

from soul.mock_body.faults import Faults

_SLEEPS = 0.2  # share of messages that find the radio asleep


class DeviceLine(Protocol):
    """The wire itself."""

    def write(self, data: bytes) -> None:
        """Send bytes; never blocks."""

    def clear(self) -> None:
        """Drop what has not been sent yet: nobody listens any more."""


class FaultyLine:
    """Spoils a share of the frames, and holds some back; their order stays."""

    def __init__(self, line: DeviceLine, faults: Faults, rng: random.Random) -> None:
        self._line = line
        self._faults = faults
        self._rng = rng
        self._late: deque[tuple[float, bytes]] = deque()  # held back until

    def write(self, data: bytes, now: float) -> None:
        """Send a frame, as well as it goes."""
        faults, rng = self._faults, self._rng
        if faults.corrupt and rng.random() < faults.corrupt:
            place = rng.randrange(len(data) - 1)
            data = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
        if faults.jitter or self._late:
            late = rng.uniform(0.0, faults.jitter) if rng.random() < _SLEEPS else 0.0
            before = self._late[-1][0] if self._late else now
            self._late.append((max(before, now + late), data))
        else:
            self._line.write(data)

    def write_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._line.write(data)

    def flush(self, now: float) -> None:
        """Send what has been held back long enough."""
        while self._late and self._late[0][0] <= now:
            self._line.write(self._late.popleft()[1])

    def due(self) -> float:
        """When something has."""
        return self._late[0][0] if self._late else math.inf

    def clear(self) -> None:
        """Drop what has not been sent yet."""
        self._late.clear()
        self._line.clear()
