"""The one port between the driver and a body, whatever the transport."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Protocol

from soul.stackchan.transports.commands import BodyCommand
from soul.stackchan.transports.events import BodyAbout, PortEvent
from soul.stackchan.transports.link import LinkNews

#: A body that is silent for so long may be gone, s ...
STALE = 1.5
#: ... and is, s.
SILENCE = 3.0


class PortState(enum.Enum):
    """How far a port got."""

    CLOSED = 'closed'
    OPENING = 'opening'
    OPEN = 'open'  # the line is, nobody has joined
    JOINED = 'joined'
    MONITOR = 'monitor'  # the device speaks another major version: listen only


class BodyPort(Protocol):
    """A body, as the driver knows it: commands go in, events come out.

    All of it is called on the driver's thread, with the time of its clock, and nothing blocks.
    What threads behind it find out comes back to :meth:`take`.

    Attributes
    ----------
    state
        How far it got.
    wanted
        Whether it is to connect, and anew whenever the body is lost.
    about
        Who is there, or was there last; None: nobody yet.
    heard
        When anything was heard last, s of the driver's clock.
    joins
        How often a body has come.
    """

    state: PortState
    wanted: bool
    about: BodyAbout | None
    heard: float
    joins: int

    @property
    def joined(self) -> bool:
        """Whether commands can be sent."""

    def stale(self, now: float) -> bool:
        """Whether the body has been silent for suspiciously long."""

    def connect(self, now: float) -> None:
        """Connect, and connect anew whenever the body is lost."""

    def disconnect(self, now: float) -> Iterator[PortEvent]:
        """Leave and stay away."""

    def take(self, news: LinkNews, now: float) -> Iterator[PortEvent]:
        """Take what a thread has found out; what belongs to an earlier opening is void."""

    def step(self, now: float) -> Iterator[PortEvent]:
        """Do what is due."""

    def due(self) -> float:
        """When :meth:`step` has something to do next."""

    def send(self, command: BodyCommand, now: float) -> str:
        """Send a command to a body that has joined; what becomes of it is an `Answered`.

        Returns
        -------
        str
            The id of the command.

        Raises
        ------
        TooLong
            If it does not fit into what the transport can carry; nothing was sent.
        """

    def halt(self) -> None:
        """Stop everything at once, before all that waits; in any state."""

    def figures(self) -> Mapping[str, str]:
        """Return what is worth counting on this transport, for the diagnostics."""

    def trouble(self) -> str:
        """Return what is wrong with the transport though it works; empty: nothing."""
