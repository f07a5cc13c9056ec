"""Carries signals between the organs of one process, without copying them.

A member is an organ's place: on ROS one with a thread of its own, on a bus without ROS one of
several on the same thread. Names are keys here: on ROS the full names of topics, so that a
remapping counts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from soul.core.fitting import fit
from soul.core.interfaces import LATCHED
from soul.core.organ import Organ
from soul.core.runtime import Runtime


class Member(Protocol):
    """An organ's place in the process."""

    @property
    def organ(self) -> Organ | type[Organ]:
        """Its class, or the organ itself: what it hears, says and serves."""

    @property
    def living(self) -> Runtime | None:
        """Its present life; None: there is none that could be asked or told anything."""

    def key(self, name: str) -> str:
        """Return the key of a topic, service or action of its tables."""

    def post(self, call: Callable[[], None]) -> None:
        """Let something be done on the organ's thread in its turn; thread-safe."""

    def hear_soon(self, topic: str, signal: Any, fits: bool) -> None:
        """Let the organ hear a signal in its turn; thread-safe.

        Parameters
        ----------
        fits
            Whether all of it is within its limits; else each hearer tells what is not.
        """


class Exchange:
    """Who is here and hears what; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._members: list[Member] = []
        self._hearers: dict[str, list[tuple[Member, str]]] = {}
        self._servers: dict[str, tuple[Member, str]] = {}  # by key: who, and how it calls that
        self._latest: dict[str, Any] = {}  # what was said last, by key
        self._said: set[str] = set()

    def join(self, member: Member) -> None:
        """Let a member speak and be asked."""
        with self._lock:
            self._members.append(member)
            self._said.update(member.key(topic) for topic in member.organ.says)
            self._add_servers(member)

    def leave(self, member: Member) -> None:
        """Forget a member; what it said last stands until somebody says otherwise."""
        with self._lock:
            self._members = [other for other in self._members if other is not member]
            for key, hearers in self._hearers.items():
                self._hearers[key] = [entry for entry in hearers if entry[0] is not member]
            self._servers.clear()
            for other in self._members:
                self._add_servers(other)

    def _add_servers(self, member: Member) -> None:
        for name in (*member.organ.serves, *member.organ.performs):
            self._servers.setdefault(member.key(name), (member, name))  # who came first

    def is_said(self, key: str) -> bool:
        """Tell whether a member says, or has said, what has this key."""
        return key in self._said

    def listen(self, member: Member, topic: str) -> None:
        """Let a member hear a topic from now on; the newest state it hears at once."""
        with self._lock:
            key = member.key(topic)
            self._hearers.setdefault(key, []).append((member, topic))
            state = self._latest.get(key) if topic in LATCHED else None
        if state is not None:
            member.hear_soon(topic, state, True)

    def carry(self, key: str, signal: Any) -> Any:
        """Let everybody who listens hear a signal in its turn.

        Returns
        -------
        object
            The signal brought within its limits; None: it is refused.
        """
        # Looked at once for all; what is wrong with it, each hearer tells itself.
        kept, found = fit(signal)
        with self._lock:
            if kept is not None:
                self._latest[key] = kept
            hearers = list(self._hearers.get(key, ()))
        for member, heard_as in hearers:
            member.hear_soon(heard_as, signal, not found)
        return kept

    def latest(self, key: str) -> Any:
        """What was said last; None: nothing yet."""
        return self._latest.get(key)

    def server(self, key: str) -> tuple[Member | None, str]:
        """Find who serves or performs something.

        Returns
        -------
        tuple
            Who does, and under which of its names; None and the key: nobody here.
        """
        with self._lock:
            return self._servers.get(key, (None, key))
