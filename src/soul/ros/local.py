"""An organ's place among the others of its process, each on a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from soul.core.exchange import Exchange
from soul.core.inbox import Inbox
from soul.core.interfaces import LATCHED, MANY_WRITERS, READER_DEPTH
from soul.core.organ import Ask, Organ
from soul.core.questions import Questions
from soul.core.runtime import Runtime


class Neighbours:
    """All organs of a process that hear each other without DDS."""

    def __init__(self) -> None:
        self.exchange = Exchange()
        self.questions = Questions(time.monotonic)


class LocalPlace:
    """One life of one organ among its neighbours.

    What only an organ of this process says is heard from it directly; for what anybody may say see
    :data:`soul.core.interfaces.MANY_WRITERS`. Of a latched state that waits to be heard only the
    newest is kept, as with a reader of depth 1.

    Parameters
    ----------
    resolve
        Gives the full name of a topic, service or action of this node.
    """

    def __init__(
        self,
        neighbours: Neighbours,
        organ: type[Organ],
        inbox: Inbox,
        resolve: Callable[[str], str],
    ) -> None:
        self._neighbours = neighbours
        self._inbox = inbox
        self._organ = organ
        names = (*organ.says, *organ.hears, *organ.serves, *organ.performs, *organ.asks)
        self._keys = {name: resolve(name) for name in names}
        self._lock = threading.Lock()
        self._states: dict[str, tuple[Any, bool]] = {}  # that wait to be heard, by topic
        self._runtime: Runtime | None = None
        neighbours.exchange.join(self)

    def connect(self, runtime: Runtime) -> None:
        """Let what arrives go to `runtime`."""
        self._runtime = runtime

    def leave(self) -> None:
        """Be heard and asked no more; whoever waits for an answer is told."""
        self._neighbours.exchange.leave(self)
        self._neighbours.questions.lose(self)

    # --- as a member ----------------------------------------------------------------------

    @property
    def organ(self) -> type[Organ]:
        """The organ's class: its tables."""
        return self._organ

    @property
    def living(self) -> Runtime | None:
        """Its life; None: there is none that could be asked or told anything."""
        runtime = self._runtime
        return None if runtime is None or runtime.ended else runtime

    def key(self, name: str) -> str:
        """Return the full name of a topic, service or action."""
        return self._keys[name]

    def post(self, call: Callable[[], None]) -> None:
        """Let something be done on the organ's thread; thread-safe."""
        self._inbox.post(call)

    def hear_soon(self, topic: str, signal: Any, fits: bool) -> None:
        """Let the organ hear a topic in its turn; thread-safe."""
        if topic not in LATCHED or topic in READER_DEPTH:
            self._inbox.post(lambda: self._hear(topic, signal, fits))
            return
        with self._lock:
            waits = topic in self._states
            self._states[topic] = signal, fits
        if not waits:
            self._inbox.post(lambda: self._hear_state(topic))

    def _hear_state(self, topic: str) -> None:
        with self._lock:
            signal, fits = self._states.pop(topic)
        self._hear(topic, signal, fits)

    def _hear(self, topic: str, signal: Any, fits: bool) -> None:
        if self._runtime is not None:
            self._runtime.hear(topic, signal, fits)

    # --- for its transport ----------------------------------------------------------------

    def hears_here(self, topic: str) -> bool:
        """Tell whether a topic is said in this process, and by nobody else."""
        return topic not in MANY_WRITERS and self._neighbours.exchange.is_said(self._keys[topic])

    def listen(self, topic: str) -> None:
        """Hear a topic from a neighbour from now on."""
        self._neighbours.exchange.listen(self, topic)

    def say(self, topic: str, signal: Any) -> None:
        """Let the neighbours hear a signal."""
        if topic not in MANY_WRITERS:
            self._neighbours.exchange.carry(self._keys[topic], signal)

    def ask(self, ask: Ask) -> bool:
        """Put a question to a neighbour; False: none of them serves it."""
        assert self._runtime is not None
        server, name = self._neighbours.exchange.server(self._keys[ask.to])
        if server is None or server.living is None:
            return False
        hear = self._runtime.answer
        self._neighbours.questions.send(ask, server, name, hear, self, self.post)
        return True

    def cancel(self, token: str) -> None:
        """Ask a neighbour to end what was asked for with `token`."""
        self._neighbours.questions.cancel(self, token)

    @property
    def questions(self) -> Questions:
        """The questions of all neighbours."""
        return self._neighbours.questions
