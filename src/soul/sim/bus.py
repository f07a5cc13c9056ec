"""The organs' wiring without ROS: the same tables, one queue.

An organ's outputs are carried out in their order, as `soul.ros.organ` does; what it says reaches
the others before anything that is said later. Nothing here knows what an organ is for.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from soul.border import Border, refusal
from soul.organ import (
    Answer,
    Ask,
    CancelAsk,
    Finish,
    Offer,
    Organ,
    Progress,
    Record,
    Report,
    Save,
    handler_name,
    server_name,
)
from soul.store.keeper import Keeper


@dataclasses.dataclass(frozen=True)
class Seat:
    """An organ on the bus.

    Parameters
    ----------
    keeper
        Keeps what it saves and records; None: nothing is kept.
    """

    name: str
    organ: Organ
    keeper: Keeper | None = None


@dataclasses.dataclass
class _Goal:
    asker: Seat | None
    ask: Ask
    server: Seat
    done: Callable[[Answer], None] | None = None


class Bus:
    """Wires organs.

    Parameters
    ----------
    now
        What time it is, s since 1970.
    report
        Hears what an organ has to say for the log: (organ's name, level, text).
    """

    def __init__(
        self,
        seats: Sequence[Seat],
        now: Callable[[], float],
        report: Callable[[str, str, str], None] = lambda organ, level, text: None,
    ) -> None:
        self.seats = list(seats)
        self._now = now
        self._report = report
        self._queue: deque[Callable[[], None]] = deque()
        self._ended: set[str] = set()
        self._handles = itertools.count(1)
        self._goals: dict[str, _Goal] = {}
        self._deadlines: list[tuple[float, str]] = []
        self._latest: dict[str, Any] = {}
        self._listeners: dict[str, list[Callable[[Any], None]]] = {}
        self._border = Border()
        self.news: Callable[[], None] = lambda: None  # called when the queue was empty

    # --- from outside ---------------------------------------------------------------------

    def start(self) -> None:
        """Let all organs begin to live; managed ones act at once."""
        for seat in self.seats:
            self._later(seat, seat.organ.start)
        for seat in self.seats:
            self._later(seat, seat.organ.configure)
            self._later(seat, seat.organ.activate)
        self.drain()

    def end(self, name: str) -> None:
        """Let one organ end while the others still hear it."""
        for seat in self.seats:
            if seat.name == name:
                self._carry_out(seat, seat.organ.stop(self._now()))
                self._ended.add(name)

    def stop(self) -> None:
        """Let all organs end, the last first, and write down what they remember."""
        for seat in reversed(self.seats):
            if seat.name not in self._ended:
                self._carry_out(seat, seat.organ.stop(self._now()))
        self.drain()
        for seat in self.seats:
            if seat.keeper is not None:
                seat.keeper.save(seat.organ.memory())
                seat.keeper.close()

    def inject(self, name: str, change: Callable[[float], Iterable[Any]]) -> None:
        """Let a function act as an organ: what it returns is carried out for that organ."""
        seat = next(seat for seat in self.seats if seat.name == name)
        self._later(seat, change)

    def say(self, topic: str, signal: Any) -> None:
        """Publish from outside."""
        self._deliver(topic, signal)
        self.news()

    def listen(self, topic: str, hear: Callable[[Any], None]) -> None:
        """Hear a topic; what was said last is heard at once."""
        self._listeners.setdefault(topic, []).append(hear)
        if topic in self._latest:
            hear(self._latest[topic])

    def latest(self, topic: str) -> Any:
        """What was said last on a topic; None: nothing yet."""
        return self._latest.get(topic)

    def call(self, to: str, request: Any, done: Callable[[Answer], None]) -> None:
        """Ask an organ from outside."""
        self._ask(None, Ask(to, request), done)
        self.news()

    # --- running --------------------------------------------------------------------------

    def drain(self) -> bool:
        """Carry out all that waits; True if anything did."""
        worked = bool(self._queue)
        while self._queue:
            self._queue.popleft()()
        return worked

    def due(self) -> float:
        """When an organ or a deadline wants to be woken next."""
        organs = min((seat.organ.due() for seat in self.seats), default=math.inf)
        return min(organs, min((at for at, _ in self._deadlines), default=math.inf))

    def step(self) -> None:
        """Do what is due now."""
        now = self._now()
        for seat in self.seats:
            if seat.organ.due() <= now:
                self._later(seat, seat.organ.step)
        over = [handle for at, handle in self._deadlines if at <= now]
        self._deadlines = [(at, handle) for at, handle in self._deadlines if at > now]
        for handle in over:
            goal = self._goals.pop(handle, None)
            if goal is not None:
                ask = goal.ask
                self._answer(goal, Answer(ask.to, ask.token, ask.request, None, 'lost'))
        self.drain()

    # --- inside ---------------------------------------------------------------------------

    def _later(self, seat: Seat, act: Callable[[float], Iterable[Any]]) -> None:
        empty = not self._queue
        self._queue.append(lambda: self._carry_out(seat, act(self._now())))
        if empty:
            self.news()

    def _carry_out(self, seat: Seat, outputs: Iterable[Any]) -> None:
        for output in outputs:
            if isinstance(output, Record):
                if seat.keeper is not None:
                    seat.keeper.record(output.journal, output.entry, output.durable)
            elif isinstance(output, Save):
                if seat.keeper is not None:
                    seat.keeper.save(seat.organ.memory())
            elif isinstance(output, Ask):
                self._ask(seat, output)
            elif isinstance(output, Finish):
                self._finish(output)
            elif isinstance(output, CancelAsk):
                self._cancel(seat, output.token)
            elif isinstance(output, Report):
                self._report(seat.name, output.level, output.text)
            elif not isinstance(output, Progress | Offer):
                self._publish(seat, output)

    def _publish(self, seat: Seat, signal: Any) -> None:
        topic = next((t for t, kind in seat.organ.says.items() if type(signal) is kind), None)
        if topic is None:
            raise TypeError(f'{seat.name} never says {type(signal).__name__}')
        if hasattr(signal, 'stamp') and not signal.stamp:
            signal = dataclasses.replace(signal, stamp=self._now())
        self._deliver(topic, signal)

    def _admit(self, name: str, signal: Any) -> tuple[Any, str]:
        """Bring what goes from one to another within its limits; None, and why: refused."""
        passed = self._border.admit(name, signal, self._now())
        for report in passed.reports:
            self._report('bus', report.level, report.text)
        return passed.signal, passed.reason

    def _deliver(self, topic: str, signal: Any) -> None:
        signal, _ = self._admit(topic, signal)
        if signal is None:
            return
        self._latest[topic] = signal
        for hear in self._listeners.get(topic, ()):
            hear(signal)
        for seat in self.seats:
            kind = seat.organ.hears.get(topic)
            if kind is not None:
                handler = getattr(seat.organ, handler_name(kind))
                self._later(seat, lambda now, h=handler: h(signal, now))  # type: ignore[misc]

    # --- questions ------------------------------------------------------------------------

    def _ask(
        self, seat: Seat | None, ask: Ask, done: Callable[[Answer], None] | None = None
    ) -> None:
        server = next(
            (s for s in self.seats if ask.to in s.organ.serves or ask.to in s.organ.performs), None
        )
        if server is None:
            absent = Answer(ask.to, ask.token, ask.request, None, 'absent')
            self._answer(_Goal(seat, ask, Seat('', Organ()), done), absent)
            return
        goal = _Goal(seat, ask, server, done)
        if ask.to in server.organ.serves:
            self._queue.append(lambda: self._serve(goal))
        else:
            self._queue.append(lambda: self._perform(goal))

    def _serve(self, goal: _Goal) -> None:
        ask, organ = goal.ask, goal.server.organ
        request, reason = self._admit(ask.to, ask.request)
        if request is None:
            no = refusal(ask.request, reason)
            self._answer(goal, Answer(ask.to, ask.token, ask.request, no))
            return
        answer, outputs = getattr(organ, server_name(ask.to))(request, self._now())
        # As on ROS: what it does is on the disk and said before the answer goes.
        self._carry_out(goal.server, outputs)
        self._answer(goal, Answer(ask.to, ask.token, ask.request, answer))

    def _perform(self, goal: _Goal) -> None:
        ask, organ = goal.ask, goal.server.organ
        name = ask.to.rsplit('/', 1)[-1]
        request, _ = self._admit(ask.to, ask.request)
        if request is None or organ.refuse(ask.to, request, self._now()):
            self._answer(goal, Answer(ask.to, ask.token, ask.request, None, 'refused'))
            return
        handle = f'goal-{next(self._handles)}'
        self._goals[handle] = goal
        self._deadlines.append((self._now() + ask.deadline, handle))
        perform = getattr(organ, server_name(name, 'perform'))
        self._carry_out(goal.server, perform(request, handle, self._now()))

    def _finish(self, finish: Finish) -> None:
        goal = self._goals.pop(finish.handle, None)
        if goal is None:
            return
        self._deadlines = [(at, h) for at, h in self._deadlines if h != finish.handle]
        failure = '' if finish.state == 'succeeded' else finish.state
        ask = goal.ask
        self._answer(goal, Answer(ask.to, ask.token, ask.request, finish.result, failure))

    def _cancel(self, seat: Seat, token: str) -> None:
        for handle, goal in list(self._goals.items()):
            if goal.asker is seat and goal.ask.token == token:
                server, cancel = goal.server, goal.server.organ.cancel
                self._later(server, lambda now, h=handle, c=cancel: c(h, now))  # type: ignore[misc]

    def _answer(self, goal: _Goal, answer: Answer) -> None:
        if answer.answer is not None:
            kept, refused = self._admit(answer.to, answer.answer)
            failure = 'lost' if refused else answer.failure
            answer = dataclasses.replace(answer, answer=kept, failure=failure)
        if goal.done is not None:
            goal.done(answer)
        if goal.asker is not None:
            organ = goal.asker.organ
            self._later(goal.asker, lambda now: organ.on_answer(answer, now))


def memory_of(keeper: Keeper | None) -> tuple[Mapping[str, Any] | None, Mapping[str, Any]]:
    """Return what an organ remembers: its memory and the newest part of its journals."""
    if keeper is None:
        return None, {}
    return keeper.load(), keeper.past()
