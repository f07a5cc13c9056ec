"""Questions between the organs of one process: who is asked and answered, what runs out of time.

Each question is put on its server's thread and answered on its asker's; both may be the same.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from soul.core.organ import Answer, Ask, Finish
from soul.core.refusal import is_goal
from soul.core.runtime import Runtime

#: Lets something be done on a thread in its turn; thread-safe.
Post = Callable[[Callable[[], None]], None]


class Answering(Protocol):
    """Whoever can be asked."""

    @property
    def living(self) -> Runtime | None:
        """Its present life; None: it has none."""

    def post(self, call: Callable[[], None]) -> None:
        """Let something be done on its thread in its turn; thread-safe."""


@dataclass(eq=False)
class Question:
    """One that is not answered yet."""

    ask: Ask
    hear: Callable[[Answer], None]
    asker: object | None  # None: somebody outside
    post: Post  # to the asker
    server: Answering
    name: str  # how its server calls what is asked
    ends: float  # s of the clock of the questions
    sent: bool = False


class Questions:
    """All open questions of a process.

    Parameters
    ----------
    now
        Seconds of the clock that deadlines go by.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._open: dict[Question, None] = {}

    def send(
        self,
        ask: Ask,
        server: Answering | None,
        name: str,
        hear: Callable[[Answer], None],
        asker: object | None,
        post: Post,
    ) -> None:
        """Ask; `hear` is told what became of it through `post`, never at once.

        Parameters
        ----------
        server
            None: nobody serves it.
        name
            How the server calls what is asked.
        """
        if server is None or server.living is None:
            absent = Answer(ask.to, ask.token, ask.request, None, 'absent')
            post(lambda: hear(absent))
            return
        ends = self._now() + ask.deadline
        question = Question(ask, hear, asker, post, server, name, ends)
        with self._lock:
            self._open[question] = None
        server.post(lambda: self._put(question))

    def _put(self, question: Question) -> None:
        """Put a question to its server, on the server's thread."""
        life = question.server.living
        with self._lock:
            if question not in self._open:  # cancelled meanwhile
                return
            question.sent = life is not None
        ask, name = question.ask, question.name
        if life is None:
            self._settle(question, failure='absent')
        elif name in life.organ.serves:
            self._settle(question, life.requests.serve(name, ask.request))
        elif is_goal(type(ask.request)) and not life.requests.takes_goals():
            self._settle(question, failure='refused')
        else:
            life.requests.perform(name, ask.request, question)

    def finish(self, question: Question, finish: Finish) -> None:
        """End what was performed for a question."""
        ended = is_goal(type(question.ask.request)) and finish.state != 'succeeded'
        self._settle(question, finish.result, finish.state if ended else '')

    def cancel(self, asker: object, token: str) -> None:
        """Ask that goals be ended; what was not put to its server yet never will be."""
        for question in self._of(asker):
            if question.ask.token != token:
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
            question.server.post(end)

    def _of(self, asker: object) -> list[Question]:
        with self._lock:
            return [question for question in self._open if question.asker is asker]

    def under_way(self, asker: object) -> bool:
        """Tell whether something that was asked is with its server."""
        return any(question.sent for question in self._of(asker))

    def give_up(self, asker: object) -> None:
        """Answer at once whatever is open: what was sent may have happened, else it will not."""
        for question in self._of(asker):
            answer = self._close(question, None, 'lost' if question.sent else 'canceled')
            if answer is not None:
                question.hear(answer)

    def lose(self, server: Answering) -> None:
        """Answer what a server had and will not answer: its life is over."""
        with self._lock:
            lost = [question for question in self._open if question.server is server]
        for question in lost:
            self._settle(question, failure='lost' if question.sent else 'absent')

    def due(self) -> float:
        """When the next deadline passes, s of the clock; inf: nobody waits."""
        with self._lock:
            return min((question.ends for question in self._open), default=math.inf)

    def step(self, now: float) -> None:
        """Let questions whose deadline has passed be lost; their goals are to end."""
        with self._lock:
            late = [question for question in self._open if question.ends <= now]
        for question in late:
            if question.sent:
                self._end(question)
            self._settle(question, failure='lost')

    def _settle(self, question: Question, answer: Any = None, failure: str = '') -> None:
        told = self._close(question, answer, failure)
        if told is not None:
            question.post(lambda: question.hear(told))

    def _close(self, question: Question, answer: Any, failure: str) -> Answer | None:
        """Take a question off the list; None: somebody else has, for example its deadline."""
        with self._lock:
            if question not in self._open:
                return None
            del self._open[question]
        ask = question.ask
        return Answer(ask.to, ask.token, ask.request, answer, failure)
