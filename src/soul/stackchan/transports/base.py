"""What the ports of all transports have in common: connecting, and connecting anew."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from soul.stackchan.transports.events import BodyAbout, Joined, Left, PortEvent
from soul.stackchan.transports.port import STALE, PortState
from soul.stackchan.transports.reconnecting import Reconnecting


class PortBase:
    """Opens its line, and opens it anew after a growing pause whenever the body is lost.

    Attributes are those of :class:`~soul.stackchan.transports.port.BodyPort`.

    Parameters
    ----------
    backoff
        Shortest and longest wait before connecting anew, s.
    """

    def __init__(self, backoff: tuple[float, float], rng: random.Random) -> None:
        self.state = PortState.CLOSED
        self.wanted = False
        self.about: BodyAbout | None = None
        self.heard = -math.inf
        self.joins = 0
        self._pause = Reconnecting(*backoff, rng)
        self._opening = 0  # whose news count; 0: none
        self._boot = ''

    @property
    def joined(self) -> bool:
        """Whether commands can be sent."""
        return self.state is PortState.JOINED

    def stale(self, now: float) -> bool:
        """Whether the body has been silent for suspiciously long."""
        return self.joined and now - self.heard >= STALE

    def connect(self, now: float) -> None:
        """Connect, and connect anew whenever the body is lost."""
        self.wanted = True
        self._pause.begin_anew()
        if self.state is PortState.CLOSED:
            self._open()

    def disconnect(self, now: float) -> Iterator[PortEvent]:
        """Leave and stay away."""
        self.wanted = False
        self._pause.end()
        yield from self._close('disconnected', now)

    # --- for a subclass -------------------------------------------------------------------

    def _open_line(self) -> int:
        """Begin to open the line; returns the number of this opening."""
        raise NotImplementedError

    def _close_line(self) -> None:
        """Close it, whatever is under way."""
        raise NotImplementedError

    def _forget(self) -> None:
        """Forget what belongs to the time with this body."""

    def _open_if_due(self, now: float) -> None:
        if self.state is PortState.CLOSED and now >= self._pause.due:
            self._open()

    def _open(self) -> None:
        self.state = PortState.OPENING
        self._pause.end()
        self._opening = self._open_line()

    def _join(self, about: BodyAbout) -> Joined:
        self.about = about
        self.state = PortState.JOINED
        self.joins += 1
        self._pause.begin_anew()
        rebooted = about.boot != self._boot
        self._boot = about.boot
        return Joined(about, rebooted)

    def _close(self, reason: str, now: float, asleep: bool = False) -> Iterator[PortEvent]:
        if self.state is PortState.CLOSED:
            return
        self._opening = 0
        self._close_line()
        if self.wanted:
            self._pause.wait(now)
        yield from self._end(reason, asleep)

    def _end(self, reason: str, asleep: bool = False) -> Iterator[PortEvent]:
        was_joined = self.joined
        self.state = PortState.CLOSED
        self._forget()
        yield Left(reason, was_joined, asleep)
