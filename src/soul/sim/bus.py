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
from functools import partial
from typing import Any, TypeVar

from soul.border import Border, refusal
from soul.interfaces import LATCHED
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
from soul.supervision import Supervisor

T = TypeVar('T')
#: Whoever is outside is looked after under this name.
_OUTSIDE = 'the program'


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
    supervised
        An organ that fails is begun anew, or stays down, as on ROS (:mod:`soul.supervision`).
        Otherwise what it raises goes to whoever lets the bus run, as tests want it.
    """

    def __init__(
        self,
        seats: Sequence[Seat],
        now: Callable[[], float],
        report: Callable[[str, str, str], None] = lambda organ, level, text: None,
        supervised: bool = False,
    ) -> None:
        self.seats = list(seats)
        self.supervisors = {
            name: Supervisor(name, now, partial(report, name))
            for name in (*(seat.name for seat in seats), _OUTSIDE)
            if supervised
        }
        self._now = now
        self._report = report
        self._queue: deque[Callable[[], None]] = deque()
        self._ended: set[str] = set()
        self._silent: set[str] = set()  # broken: neither asked nor told anything
        self._renewals: dict[str, float] = {}  # when they are begun anew
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
                self._do(seat, seat.organ.stop)
                self._ended.add(name)

    def stop(self) -> None:
        """Let all organs end, the last first, and write down what they remember."""
        for seat in reversed(self.seats):
            if seat.name not in self._ended:
                self._do(seat, seat.organ.stop)
        self.drain()
        for seat in self.seats:
            if seat.keeper is not None:
                self._do(seat, lambda now: (Save(),))
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

    def outside(self, work: Callable[[], T]) -> T | None:
        """Do something of the program's around her: if it fails, that is no organ's fault."""
        outsider = self.supervisors.get(_OUTSIDE)
        return work() if outsider is None else outsider.shield(work)

    # --- running --------------------------------------------------------------------------

    def drain(self) -> bool:
        """Carry out all that waits; True if anything did."""
        worked = bool(self._queue)
        while self._queue:
            self._queue.popleft()()
        return worked

    def due(self) -> float:
        """When an organ or a deadline wants to be woken next."""
        organs = min((self._due(seat) for seat in self.seats), default=math.inf)
        return min(
            organs,
            min((at for at, _ in self._deadlines), default=math.inf),
            min(self._renewals.values(), default=math.inf),
        )

    def _due(self, seat: Seat) -> float:
        if seat.name in self._silent:
            return math.inf
        due = self._guarded(seat, lambda: seat.organ.due())
        return math.inf if due is None else due

    def step(self) -> None:
        """Do what is due now."""
        now = self._now()
        for name, at in list(self._renewals.items()):
            if at <= now:
                self._renew(next(seat for seat in self.seats if seat.name == name))
        for seat in self.seats:
            if self._due(seat) <= now:
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
        self._queue.append(lambda: self._do(seat, act))
        if empty:
            self.news()

    def _do(self, seat: Seat, act: Callable[[float], Iterable[Any]]) -> None:
        """Let an organ do something; if it fails, only it is concerned."""
        if seat.name in self._silent:
            return
        self._guarded(seat, lambda: self._carry_out(seat, act(self._now())))

    def _guarded(self, seat: Seat, work: Callable[[], T]) -> T | None:
        supervisor = self.supervisors.get(seat.name)
        if supervisor is None:
            return work()
        try:
            done = supervisor.attempt(work)
        except OSError as error:  # as on ROS: what could not be written is not carried out
            self._report(seat.name, 'error', f'storage: {error}')
            return None
        if supervisor.broken and seat.name not in self._silent:
            self._bury(seat, supervisor)
        return done

    def _bury(self, seat: Seat, supervisor: Supervisor) -> None:
        """Let a broken organ be silent, answer whoever waits for it, and begin it anew later."""
        self._silent.add(seat.name)
        for handle, goal in list(self._goals.items()):
            if goal.server is seat:
                del self._goals[handle]
                ask = goal.ask
                self._answer(goal, Answer(ask.to, ask.token, ask.request, None, 'lost'))
        for other in self.seats:
            for topic in other.organ.watches:
                if other is not seat and topic in seat.organ.says:
                    silence = other.organ.on_silence
                    self._later(other, lambda now, t=topic, s=silence: s(t, now))  # type: ignore[misc]
        if seat.renew is None:
            self._report(seat.name, 'error', f'{seat.name} stays down: nothing can make it anew')
            return
        pause = supervisor.again()
        if pause is not None:
            self._renewals[seat.name] = self._now() + pause

    def _renew(self, seat: Seat) -> None:
        assert seat.renew is not None
        supervisor = self.supervisors[seat.name]
        del self._renewals[seat.name]
        organ = supervisor.shield(seat.renew)
        if organ is None:
            supervisor.broken = supervisor.broken or 'it could not be begun anew'
            pause = supervisor.again()
            if pause is not None:
                self._renewals[seat.name] = self._now() + pause
            return
        seat.organ = organ
        self._silent.discard(seat.name)
        for act in (organ.start, organ.configure, organ.activate):
            self._later(seat, act)
        for topic, kind in organ.hears.items():
            # What was said last is heard by whoever comes later, as with latched topics.
            if topic in LATCHED and topic in self._latest:
                handler, signal = getattr(organ, handler_name(kind)), self._latest[topic]
                self._later(seat, lambda now, h=handler, s=signal: h(s, now))  # type: ignore[misc]

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
            self.outside(partial(hear, signal))
        for seat in self.seats:
            kind = seat.organ.hears.get(topic)
            if kind is not None:
                name = handler_name(kind)
                self._later(seat, lambda now, s=seat, n=name: getattr(s.organ, n)(signal, now))  # type: ignore[misc]

    # --- questions ------------------------------------------------------------------------

    def _ask(
        self, seat: Seat | None, ask: Ask, done: Callable[[Answer], None] | None = None
    ) -> None:
        server = next(
            (s for s in self.seats if ask.to in s.organ.serves or ask.to in s.organ.performs), None
        )
        if server is None or server.name in self._silent:
            absent = Answer(ask.to, ask.token, ask.request, None, 'absent')
            self._answer(_Goal(seat, ask, Seat('', Organ()), done), absent)
            return
        goal = _Goal(seat, ask, server, done)
        if ask.to in server.organ.serves:
            self._queue.append(lambda: self._serve(goal))
        else:
            self._queue.append(lambda: self._perform(goal))

    def _serve(self, goal: _Goal) -> None:
        ask, server = goal.ask, goal.server
        request, reason = self._admit(ask.to, ask.request)
        if request is None:
            no = refusal(ask.request, reason)
            self._answer(goal, Answer(ask.to, ask.token, ask.request, no))
            return

        def serve() -> Any:
            method = getattr(server.organ, server_name(ask.to))
            answer, outputs = method(request, self._now())
            # As on ROS: what it does is on the disk and said before the answer goes.
            self._carry_out(server, outputs)
            return answer

        answer = None if server.name in self._silent else self._guarded(server, serve)
        failure = 'lost' if answer is None else ''
        self._answer(goal, Answer(ask.to, ask.token, ask.request, answer, failure))

    def _perform(self, goal: _Goal) -> None:
        ask, server = goal.ask, goal.server
        if server.name in self._silent:
            self._answer(goal, Answer(ask.to, ask.token, ask.request, None, 'absent'))
            return
        request, _ = self._admit(ask.to, ask.request)
        if request is None:
            self._answer(goal, Answer(ask.to, ask.token, ask.request, None, 'refused'))
            return
        handle = f'goal-{next(self._handles)}'
        self._goals[handle] = goal
        self._deadlines.append((self._now() + ask.deadline, handle))

        def perform(now: float) -> Iterable[Any]:
            if server.organ.refuse(ask.to, request, now):
                del self._goals[handle]
                self._answer(goal, Answer(ask.to, ask.token, ask.request, None, 'refused'))
                return ()
            outputs: Iterable[Any] = getattr(server.organ, server_name(ask.to, 'perform'))(
                request, handle, now
            )
            return outputs

        self._do(server, perform)

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
                server = goal.server
                self._later(server, lambda now, h=handle, s=server: s.organ.cancel(h, now))  # type: ignore[misc]

    def _answer(self, goal: _Goal, answer: Answer) -> None:
        if answer.answer is not None:
            kept, refused = self._admit(answer.to, answer.answer)
            failure = 'lost' if refused else answer.failure
            answer = dataclasses.replace(answer, answer=kept, failure=failure)
        if goal.done is not None:
            goal.done(answer)
        if goal.asker is not None:
            asker, organ = goal.asker, goal.asker.organ
            self._later(
                # A life of it that has not asked is not answered.
                asker,
                lambda now: organ.on_answer(answer, now) if asker.organ is organ else (),
            )


def memory_of(keeper: Keeper | None) -> tuple[Mapping[str, Any] | None, Mapping[str, Any]]:
    """Return what an organ remembers: its memory and the newest part of its journals."""
    if keeper is None:
        return None, {}
    return keeper.load(), keeper.past()
