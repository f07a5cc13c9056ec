"""One pairing under way: for some minutes one device, whichever is first, is let in."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

#: How long a pairing waits, s.
SECONDS = 600.0
_MOST_STEPS = 32


@dataclass
class PairingWindow:
    """What has happened since somebody began to pair.

    Attributes
    ----------
    address
        Where it listens because of this pairing; empty: nowhere else than before.
    until
        When it ends by itself, s of the clock that is given.
    token
        What the device must send.
    device
        Who is being paired; empty: nobody has come.
    joined
        Whether that device has dialled and said hello.
    steps
        What happened, for people, in order.
    missing
        What is to be done now, for people; empty: nothing.
    """

    address: str
    until: float
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    device: str = ''
    joined: bool = False
    steps: list[str] = field(default_factory=list)
    missing: str = ''

    def note(self, step: str, missing: str) -> None:
        """Write down what happened, once, and what is missing now."""
        if step not in self.steps[-3:] and len(self.steps) < _MOST_STEPS:
            self.steps.append(step)
        self.missing = missing

    def seconds_left(self, now: float) -> float:
        """How long it goes on, s."""
        return max(0.0, self.until - now)


class Windows:
    """At most one window is open.

    Parameters
    ----------
    clock
        Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._window: PairingWindow | None = None

    def begin(self, address: str) -> PairingWindow:
        """Open one anew, whatever was before."""
        self._window = PairingWindow(address, self._clock() + SECONDS)
        return self._window

    def end(self) -> None:
        """Close it."""
        if self._window is not None:
            self._window.until = -math.inf

    @property
    def last(self) -> PairingWindow | None:
        """The newest one, also when it is over."""
        return self._window

    @property
    def current(self) -> PairingWindow | None:
        """The one that is open."""
        window = self._window
        return window if window is not None and self.seconds_left > 0.0 else None

    @property
    def seconds_left(self) -> float:
        """How long the newest one goes on, s."""
        return self._window.seconds_left(self._clock()) if self._window is not None else 0.0
