"""The clocks that a runtime goes by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Clocks:
    """Readings of time, in seconds.

    Parameters
    ----------
    now
        The organ's clock: what its methods are called with, and what `due` is compared with.
    stamp
        The clock that messages are stamped with; another one where the organ's is monotonic.
    steady
        A clock that nobody sets and nobody stops, for pauses and for what is told at most so
        often.
    begun
        Whether time has begun: simulated time may start late, and nothing behaves before it does.
    """

    now: Callable[[], float]
    stamp: Callable[[], float]
    steady: Callable[[], float]
    begun: Callable[[], bool]
