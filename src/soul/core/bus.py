"""Carries signals and questions from organ to organ without ROS: the same tables, one queue.

Delivery only: what an organ hears, says, serves and writes is the business of its
:class:`~soul.core.runtime.Runtime`, as on ROS. What is said reaches the others before anything
that is said later. Nothing here knows what an organ is for.
"""

from __future__ import annotations

import dataclasses
import logging
import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from soul.core.clocks import Clocks
from soul.core.exchange import Exchange
from soul.core.fitting import fit
from soul.core.inbox import Inbox
from soul.core.keeper import Keeper
from soul.core.organ import Answer, Ask, Health
from soul.core.output import Work
from soul.core.questions import Questions
from soul.core.runtime import Runtime
from soul.core.seat import Place, Seat
from soul.core.storage import SAVE_PERIOD
from soul.core.supervision import Supervisor, Unsupervised

__all__ = ['Bus', 'Seat']

T = TypeVar('T')
#: Whoever is outside is looked after under this name.
_OUTSIDE = 'the program'


class Bus:
    """Wires organs.

    Parameters
    ----------
    now
        What time it is, s since 1970.
    report
        Hears what an organ has to say for the log: (organ's name, level, text).
    supervised
        An organ that fails is begun anew, or stays down, as on ROS (:mod:`soul.core.supervision`).
        Otherwise what it raises goes to whoever lets the bus run, as tests want it.
    save_period
        Longest time for which a change of an organ's memory is not written, s.
    """

    def __init__(
        self,
        seats: Sequence[Seat],
        now: Callable[[], float],
        report: Callable[[str, str, str], None] = lambda organ, level, text: None,
        supervised: bool = False,
        save_period: float = SAVE_PERIOD,
    ) -> None:
        self.seats = list(seats)
        kind = Supervisor if supervised else Unsupervised
        self.supervisors = {
            name: kind(name, now, partial(self.report, name))
            for name in (*(seat.name for seat in seats), _OUTSIDE)
        }
        self._now = now
        self._save_period = save_period
        self._report = report
        # A report that fails cannot be reported to itself.
        log = logging.getLogger('soul')
        self._reporting = kind('report', now, lambda level, text: log.error(text))
        self._queue: deque[Callable[[], None]] = deque()
        self._renewals: dict[Place, float] = {}  # when they are begun anew
        self._exchange = Exchange()
        self._listeners: dict[str, list[Callable[[Any], None]]] = {}
        self._draining = 0  # the thread that drains
        #: Called, on any thread, when something waits that the draining thread may not see.
        self.news: Callable[[], None] = lambda: None
        self.questions = Questions(now)
        self._begun = False
        self._clocks = Clocks(now, now, now, lambda: self._begun)
        self._places = {seat.name: Place(self, seat) for seat in self.seats}
        self._inboxes = {name: Inbox(place.wake) for name, place in self._places.items()}
        for place in self._places.values():
            self._live(place)
            self._join(place)

    def _join(self, place: Place) -> None:
        self._exchange.join(place)
        for topic in place.organ.hears:
            self._exchange.listen(place, topic)

    def _live(self, place: Place) -> Runtime:
        """Let what sits on a seat begin a life."""
        seat = place.seat
        place.runtime = Runtime(
            seat.name,
            seat.organ,
            seat.keeper or Keeper(None, seat.name),
            self._clocks,
            place,
            self.supervisors[seat.name],
            self._inboxes[seat.name],
            self._save_period,
        )
        return place.runtime

    # --- from outside ---------------------------------------------------------------------

    def start(self) -> None:
        """Let all organs begin to live; managed ones act at once."""
        self._begun = True
        for place in self._places.values():
            self.post(place.drain)
        for place in self._places.values():
            self._activate(place)
        self.drain()

    def _activate(self, place: Place) -> None:
        for act in (place.organ.configure, place.organ.activate):
            self.post(partial(place.run, act))

    def end(self, name: str) -> None:
        """Let one organ stop while the others still hear it."""
        self._places[name].runtime.wind_down()

    def stop(self) -> None:
        """Let all organs end, the last first, and write down what they remember."""
        for place in reversed(self._places.values()):
            place.runtime.wind_down()
            self.drain()
            place.runtime.stop()
        self.questions.give_up(None)
        self._renewals.clear()
        for seat in self.seats:
            if seat.keeper is not None:
                seat.keeper.close()

    def inject(self, name: str, change: Work) -> None:
        """Let a function act as an organ: what it returns is carried out for it. Thread-safe."""
        self._inboxes[name].put(change)

    def say(self, topic: str, signal: Any) -> None:
        """Publish a signal as if an organ outside had said it."""
        self.deliver(topic, signal)

    def listen(self, topic: str, hear: Callable[[Any], None]) -> None:
        """Hear a topic; what was said last is heard at once."""
        self._listeners.setdefault(topic, []).append(hear)
        if (latest := self._exchange.latest(topic)) is not None:
            hear(latest)

    def latest(self, topic: str) -> Any:
        """What was said last on a topic; None: nothing yet."""
        return self._exchange.latest(topic)

    def call(self, to: str, request: Any, done: Callable[[Answer], None]) -> None:
        """Ask an organ from outside; `done` is always told what became of it."""

        def hear(answer: Answer) -> None:
            if answer.answer is not None:
                kept, _ = fit(answer.answer)
                failure = answer.failure if kept is not None else 'lost'
                answer = dataclasses.replace(answer, answer=kept, failure=failure)
            self.outside(partial(done, answer))

        self.questions.send(Ask(to, request), *self._exchange.server(to), hear, None, self.post)

    def outside(self, work: Callable[[], T]) -> T | None:
        """Do something of the program's around her: if it fails, that is no organ's fault."""
        return self.supervisors[_OUTSIDE].shield(work)

    def report(self, name: str, level: str, text: str) -> None:
        """Hand on a line for the log: (organ's name, level, text)."""
        self._reporting.shield(partial(self._report, name, level, text))

    def health(self) -> dict[str, Health]:
        """Return how every organ is, by name."""
        return {name: place.health() for name, place in self._places.items()}

    # --- running --------------------------------------------------------------------------

    def drain(self) -> bool:
        """Carry out all that waits; True if anything did."""
        worked = bool(self._queue)
        before, self._draining = self._draining, threading.get_ident()
        try:
            while self._queue:
                self._queue.popleft()()
                for place in self._places.values():
                    if place.failed:
                        self._bury(place)
        finally:
            self._draining = before
        return worked

    def due(self) -> float:
        """When an organ or a deadline wants to be woken next, s; inf: never."""
        organs = min((place.at for place in self._places.values()), default=math.inf)
        renewals = min(self._renewals.values(), default=math.inf)
        return min(organs, renewals, self.questions.due())

    def step(self) -> None:
        """Do what is due now."""
        now = self._now()
        for place in [place for place, at in self._renewals.items() if at <= now]:
            self._renew(place)
        for place in self._places.values():
            if place.at <= now:
                self.post(place.on_time)
        self.questions.step(now)
        self.drain()

    # --- delivery -------------------------------------------------------------------------

    def post(self, work: Callable[[], None]) -> None:
        """Let something be done in its turn; thread-safe."""
        self._queue.append(work)
        # Whoever drains looks again before ending; anybody else may have come just after that.
        if threading.get_ident() != self._draining:
            self.news()

    def wake(self, name: str) -> None:
        """Let an organ do soon what waits in its inbox; thread-safe."""
        self.post(self._places[name].drain)

    def deliver(self, topic: str, signal: Any) -> None:
        """Let everybody hear a signal in its turn; outsiders hear it at once."""
        kept = self._exchange.carry(topic, signal)
        if kept is None:
            return
        for hear in self._listeners.get(topic, ()):
            self.outside(partial(hear, kept))

    def ask(self, ask: Ask, place: Place) -> None:
        """Send a question of whoever sits on a place."""
        server, name = self._exchange.server(ask.to)
        # A later life has not asked, and is not answered.
        self.questions.send(ask, server, name, place.runtime.answer, place, self.post)

    # --- failures -------------------------------------------------------------------------

    def _bury(self, place: Place) -> None:
        """End a broken life, answer whoever waits for it, and let it be begun anew later."""
        place.runtime.abandon()
        place.at = math.inf
        for other in self._places.values():
            for topic in place.organ.says:
                if other is not place and topic in other.organ.watches:
                    self.post(partial(other.silence, topic))
        if place.seat.renew is None:
            name = place.seat.name
            self.report(name, 'error', f'{name} stays down: nothing can make it anew')
            return
        self._renew_later(place)

    def _renew_later(self, place: Place) -> None:
        pause = self.supervisors[place.seat.name].again()
        if pause is not None:
            self._renewals[place] = self._now() + pause

    def _renew(self, place: Place) -> None:
        del self._renewals[place]
        seat, supervisor = place.seat, self.supervisors[place.seat.name]
        assert seat.renew is not None
        self._inboxes[seat.name].clear()
        organ = supervisor.shield(seat.renew)
        if organ is not None:
            seat.organ = organ
            if supervisor.shield(partial(self._live, place)) is not None:
                self.post(place.drain)
                self._activate(place)
                self._exchange.leave(place)
                self._join(place)  # and hears the newest states anew
                return
        supervisor.broken = supervisor.broken or 'it could not be begun anew'
        self._renew_later(place)
