"""Lets an organ serve and perform what it is asked; whoever asks learns how it ended, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from soul.core.bounded import BoundedDict
from soul.core.goals import Goals
from soul.core.organ import Organ, server_name
from soul.core.output import Outputs, Work
from soul.core.refusal import answer_type, refused
from soul.core.supervision import Supervisor

#: So many answers are remembered for whoever asks again.
REMEMBERED = 256


class Host(Protocol):
    """What requests need of the organ's runtime."""

    organ: Organ
    supervisor: Supervisor

    def now(self) -> float:
        """Seconds of the organ's clock."""

    def hindrance(self) -> str:
        """Why the organ cannot be asked at all; empty: it can."""

    def admit(self, name: str, signal: Any) -> tuple[Any, str]:
        """Bring what came in within its limits; None, and why, if it is refused."""

    def carry_out(self, outputs: Outputs) -> None:
        """Carry out what the organ returned; raises OSError if it cannot be written."""

    def unwritten(self, error: OSError) -> None:
        """Note that something could not be written."""

    def run(self, work: Work) -> None:
        """Let the organ do something."""

    def tell(self, level: str, text: str) -> None:
        """Write a line to the log."""


class Requests:
    """What is asked of one life of an organ."""

    def __init__(self, life: Host, goals: Goals) -> None:
        self._life = life
        self._goals = goals
        #: Answers by service and the id of the request, the newest last.
        self._answered: BoundedDict[tuple[str, str], Any] = BoundedDict(REMEMBERED)

    def serve(self, name: str, request: Any) -> Any:
        """Answer a request of ``serves``; if it cannot be served, the answer says why."""
        life = self._life
        kind = answer_type(life.organ.serves[name])
        if reason := life.hindrance():
            return refused(kind, reason)
        kept, reason = life.admit(name, request)
        if kept is None:
            return refused(kind, reason)
        repeat = name, getattr(kept, 'request_id', '')
        if repeat in self._answered:  # its answer was lost on the way
            return self._answered[repeat]

        def serve() -> Any:
            answer, outputs = getattr(life.organ, server_name(name))(kept, life.now())
            if type(answer) is not kind:
                raise TypeError(f'{name} was answered with a {type(answer).__name__}')
            # What it does is on the disk and said before the answer goes.
            life.carry_out(outputs)
            return answer

        answer, reason = self._attempt(serve)
        if answer is None:
            return refused(kind, reason)
        if repeat[1]:
            self._answered[repeat] = answer
        return answer

    def takes_goals(self) -> bool:
        """Tell whether a goal is taken in at all; otherwise it is rejected without a word."""
        life = self._life
        return not life.hindrance() and bool(
            life.supervisor.attempt(lambda: life.organ.takes_goals)
        )

    def perform(self, name: str, request: Any, goal: Any) -> None:
        """Begin something of ``performs``; its end goes to ``Transport.finish``, always.

        Parameters
        ----------
        goal
            What the transport knows it by. One that is not begun ends at once, with the reason.
        """
        life = self._life
        handle = self._take_in(name, goal)
        kept, reason = None, life.hindrance()
        if not reason:
            kept, reason = life.admit(name, request)
        reason = reason or self._refusal(name, kept)
        if reason:
            life.tell('warning', f'{name} refused: {reason}')
            self._goals.refuse(handle, reason)
            return

        def perform() -> bool:
            method = getattr(life.organ, server_name(name, 'perform'))
            life.carry_out(method(kept, handle, life.now()))
            return True

        begun, reason = self._attempt(perform)
        # Of an organ that failed all goals are given up together, with what is under way.
        if begun is None and not life.supervisor.broken:
            self._goals.refuse(handle, reason)

    def turn_away(self, name: str, goal: Any, reason: str) -> None:
        """End a goal that never reached the organ, with the reason."""
        self._goals.refuse(self._take_in(name, goal), reason)

    def cancel(self, goal: Any) -> None:
        """Tell the organ that whoever asked for `goal` wants it ended."""
        handle = self._goals.handle_of(goal)
        if handle and not self._life.hindrance():
            self._life.run(lambda now: self._life.organ.cancel(handle, now))

    def _take_in(self, name: str, goal: Any) -> str:
        return self._goals.begin(name, answer_type(self._life.organ.performs[name]), goal)

    def _refusal(self, name: str, request: Any) -> str:
        life = self._life
        reason = life.supervisor.attempt(lambda: life.organ.refuse(name, request, life.now()))
        return life.hindrance() if reason is None else reason

    def _attempt(self, work: Callable[[], Any]) -> tuple[Any, str]:
        """Let the organ do something; what it gives, or None and why there is nothing."""
        try:
            done = self._life.supervisor.attempt(work)
        except OSError as error:
            self._life.unwritten(error)
            return None, f'it could not be written: {error}'
        return done, self._life.hindrance()
