"""An organ's place on the bus, and how what it says gets onto it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Protocol

from soul.core.keeper import Keeper
from soul.core.organ import Ask, Finish, Health, Organ, Progress, Report
from soul.core.output import Signal, Work
from soul.core.questions import Question, Questions
from soul.core.runtime import Runtime


@dataclasses.dataclass(eq=False)
class Seat:
    """An organ on the bus.

    Parameters
    ----------
    keeper
        Keeps what it saves and records; None: nothing is kept.
    renew
        Makes the organ anew with what it remembers, after it has failed; None: it stays down.
    """

    name: str
    organ: Organ
    keeper: Keeper | None = None
    renew: Callable[[], Organ] | None = None


class Hub(Protocol):
    """What a place needs of the bus."""

    questions: Questions

    def deliver(self, topic: str, signal: Any) -> None:
        """Let everybody hear a signal."""

    def ask(self, ask: Ask, place: Place) -> None:
        """Send a question of whoever sits on a place."""

    def post(self, call: Callable[[], None]) -> None:
        """Let something be done in its turn; thread-safe."""

    def report(self, name: str, level: str, text: str) -> None:
        """Hand on a line for the log."""

    def wake(self, name: str) -> None:
        """Let an organ do soon what waits in its inbox; thread-safe."""


class Place:
    """The transport of whoever sits on a seat, over all lives of the organ.

    The bus sets `runtime` before anything else is done with it, and again with each life.
    """

    runtime: Runtime

    def __init__(self, hub: Hub, seat: Seat) -> None:
        self._hub = hub
        self.seat = seat
        self.at = math.inf  # when it wants to be called, s of the bus's clock

    # --- to the organ of the moment -------------------------------------------------------

    @property
    def organ(self) -> Organ:
        """Whoever sits here now."""
        return self.seat.organ

    @property
    def living(self) -> Runtime | None:
        """The present life; None: there is none that could be asked or told anything."""
        return None if self.runtime.ended else self.runtime

    @property
    def failed(self) -> bool:
        """Whether the present life has just failed."""
        return bool(self.runtime.supervisor.broken) and not self.runtime.ended

    def key(self, name: str) -> str:
        """Return a name as it is: nothing is remapped on a bus."""
        return name

    def post(self, call: Callable[[], None]) -> None:
        """Let something be done in its turn; thread-safe."""
        self._hub.post(call)

    def hear_soon(self, topic: str, signal: Any, fits: bool) -> None:
        """Let the organ hear a topic in its turn."""
        self._hub.post(partial(self.hear, topic, signal, fits))

    def drain(self) -> None:
        """Do what waits in the inbox."""
        self.runtime.drain()

    def run(self, work: Work) -> None:
        """Let the organ do something."""
        self.runtime.run(work)

    def hear(self, topic: str, signal: Any, fits: bool) -> None:
        """Let the organ hear a topic; `fits` as with the runtime."""
        self.runtime.hear(topic, signal, fits)

    def silence(self, topic: str) -> None:
        """Let the organ hear that a topic is silent."""
        self.runtime.silence(topic)

    def on_time(self) -> None:
        """Let the organ do what is due."""
        self.runtime.on_time()

    def health(self) -> Health:
        """Return how the organ is."""
        runtime = self.runtime
        if runtime.ended:
            why = runtime.supervisor.broken
            own = Health('error', f'it failed: {why}' if why else 'it has ended')
            return runtime.supervisor.health(own)
        return runtime.health()

    # --- from the organ -------------------------------------------------------------------

    def publish(self, topic: str, signal: Signal) -> None:
        """Let everybody who hears `topic` hear the signal."""
        self._hub.deliver(topic, signal)

    def ask(self, ask: Ask) -> None:
        """Send a question to whoever serves it."""
        self._hub.ask(ask, self)

    def cancel(self, token: str) -> None:
        """Ask the server to end what was asked for with `token`."""
        self._hub.questions.cancel(self, token)

    def finish(self, goal: Question, finish: Finish) -> None:
        """Tell whoever asked how it ended."""
        self._hub.questions.finish(goal, finish)

    def progress(self, goal: Question, progress: Progress) -> None:
        """Feedback is for watchers outside; on the bus nobody is."""

    def offer(self, topics: Collection[str]) -> None:
        """Every topic can be heard on the bus."""

    def log(self, report: Report) -> None:
        """Hand a line on for the log."""
        self._hub.report(self.seat.name, report.level, report.text)

    def arm(self, at: float) -> None:
        """Be called at `at`."""
        self.at = at

    def wake(self) -> None:
        """Do soon what waits in the inbox; thread-safe."""
        self._hub.wake(self.seat.name)

    @property
    def busy(self) -> bool:
        """Whether a question of this organ is with its server."""
        return self._hub.questions.under_way(self)

    def give_up(self) -> None:
        """Answer every open question of this organ now."""
        self._hub.questions.give_up(self)
