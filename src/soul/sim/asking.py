"""Questions from seat to seat: who is asked, who is answered, and what runs out of time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from soul.core.refusal import is_goal
from soul.core.runtime import Runtime
from soul.organ import Answer, Ask, Finish, Organ


class Answering(Protocol):
    """Whoever can be asked."""

    @property
    def organ(self) -> Organ:
        """Its tables."""

    @property
    def living(self) -> Runtime | None:
        """Its present life; None: it has none."""


@dataclass(eq=False)
class Question:
    """One that is not answered yet."""

    ask: Ask
    hear: Callable[[Answer], None]
    asker: object | None  # None: somebody outside
    server: Answering
    ends: float  # s of the bus's clock
    sent: bool = False


class Asking:
    """All open questions of a bus.

    Parameters
    ----------
    now
        Seconds of the bus's clock.
    post
        Lets something be done in its turn.
    find
        Finds who serves or performs something; None: nobody.
    """

    def __init__(
        self,
        now: Callable[[], float],
        post: Callable[[Callable[[], None]], None],
        find: Callable[[str], Answering | None],
    ) -> None:
        self._now = now
        self._post = post
        self._find = find
        self._open: dict[Question, None] = {}

    def send(self, ask: Ask, hear: Callable[[Answer], None], asker: object | None) -> None:
        """Ask; `hear` is told what became of it in its turn, never at once."""
        server = self._find(ask.to)
        if server is None or server.living is None:
            absent = Answer(ask.to, ask.token, ask.request, None, 'absent')
            self._post(lambda: hear(absent))
            return
        question = Question(ask, hear, asker, server, self._now() + ask.deadline)
        self._open[question] = None
        self._post(lambda: self._put(question))

    def _put(self, question: Question) -> None:
        """Put a question to its server."""
        if question not in self._open:  # cancelled meanwhile
            return
        ask, life = question.ask, question.server.living
        if life is None:
            self._settle(question, failure='absent')
            return
        question.sent = True
        if ask.to in life.organ.serves:
            answer = life.requests.serve(ask.to, ask.request)
            self._settle(question, answer)
        elif is_goal(type(ask.request)) and not life.requests.takes_goals():
            self._settle(question, failure='refused')
        else:
            life.requests.perform(ask.to, ask.request, question)

    def finish(self, question: Question, finish: Finish) -> None:
        """End what was performed for a question."""
        ended = is_goal(type(question.ask.request)) and finish.state != 'succeeded'
        self._settle(question, finish.result, finish.state if ended else '')

    def cancel(self, asker: object, token: str) -> None:
        """Ask that goals be ended; what was not put to its server yet never will be."""
        for question in list(self._open):
            if question.asker is not asker or question.ask.token != token:
                continue
            if question.sent:
                self._end(question)
            else:
                self._settle(question, failure='canceled')

    def _end(self, question: Question) -> None:
        def end() -> None:
            if (life := question.server.living) is not None:
                life.requests.cancel(question)

        if is_goal(type(question.ask.request)):  # a service cannot be told
            self._post(end)

    def under_way(self, asker: object) -> bool:
        """Tell whether something that was asked is with its server."""
        return any(question.asker is asker and question.sent for question in self._open)

    def give_up(self, asker: object) -> None:
        """Answer at once whatever is open: what was sent may have happened, else it will not."""
        for question in [q for q in self._open if q.asker is asker]:
            del self._open[question]
            failure = 'lost' if question.sent else 'canceled'
            question.hear(Answer(question.ask.to, question.ask.token, question.ask.request,
                                 None, failure))  # fmt: skip

    def due(self) -> float:
        """When the next deadline passes, s of the bus's clock; inf: nobody waits."""
        return min((question.ends for question in self._open), default=math.inf)

    def step(self, now: float) -> None:
        """Let questions whose deadline has passed be lost; their goals are to end."""
        for question in [q for q in self._open if q.ends <= now]:
            if question.sent:
                self._end(question)
            self._settle(question, failure='lost')

    def _settle(self, question: Question, answer: Any = None, failure: str = '') -> None:
        if question not in self._open:  # its deadline has passed
            return
        del self._open[question]
        ask = question.ask
        told = Answer(ask.to, ask.token, ask.request, answer, failure)
        self._post(lambda: question.hear(told))
