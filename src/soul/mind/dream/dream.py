"""A dream: consolidation in small steps that can end between any two of them.

Each step is looked for, thought about, checked and carried out by itself. A message, a kill or
a model that fails ends the dream where it is: what was done is done whole, the rest waits for
the next one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from itertools import chain
from typing import Protocol

from soul.mind.dream.gist import KIND as GIST
from soul.mind.dream.gist import GistSteps
from soul.mind.dream.resident import KIND as RESIDENT
from soul.mind.dream.resident import ResidentSteps
from soul.mind.dream.step import AnswerRefused, NoThought, Step, StepOutcome
from soul.mind.dream.tidy import TidySteps
from soul.mind.memory import Memory
from soul.mind.pages import SoulDirectory

#: One dream is no longer than this; the rest comes in the next.
MOST_STEPS = 40
#: A model is asked so often in one dream, not more.
MOST_QUESTIONS = 12

Think = Callable[[Step], Awaitable[str]]


class _Part(Protocol):
    def apply(self, step: Step, answer: str, now: float) -> StepOutcome: ...


class Dream:
    """The steps of one dream.

    Parameters
    ----------
    soul, memory
        What is consolidated.
    """

    def __init__(self, soul: SoulDirectory, memory: Memory) -> None:
        self._resident = ResidentSteps(memory)
        self._gist = GistSteps(soul, memory)
        self._tidy = TidySteps(memory)
        self._tried: set[tuple[str, str]] = set()

    def next(self, now: float) -> Step | None:
        """Return the next step, None if nothing is left to do; each is tried once in a dream."""
        for step in self._steps(now):
            if (step.kind, step.key) not in self._tried:
                return step
        return None

    def apply(self, step: Step, answer: str, now: float) -> StepOutcome:
        """Carry out a step with a model's answer; on the disk when this returns.

        An answer that is of no use gives way to what is right by rule; one that would lose more
        than a quarter of the entries is refused, and everything stays as it was.
        """
        self._tried.add((step.kind, step.key))
        parts: dict[str, _Part] = {RESIDENT: self._resident, GIST: self._gist}
        try:
            return parts.get(step.kind, self._tidy).apply(step, answer, now)
        except AnswerRefused as refused:
            return StepOutcome(step, False, 'nobody', f'answer refused: {refused}')

    def leave(self, step: Step, why: str) -> StepOutcome:
        """Leave a step for the next dream."""
        self._tried.add((step.kind, step.key))
        return StepOutcome(step, False, 'nobody', f'left for the next dream: {why}', left=True)

    def _steps(self, now: float) -> Iterator[Step]:
        return chain(self._resident.steps(now), self._gist.steps(now), self._tidy.steps(now))


async def dream(
    soul: SoulDirectory,
    memory: Memory,
    think: Think,
    should_stop: Callable[[], bool],
    now: Callable[[], float],
) -> list[StepOutcome]:
    """Dream until nothing is left to do or it is to stop.

    Parameters
    ----------
    think
        Asks a model; it may be cancelled at any time. If it raises NoThought, nothing more is
        asked, and what needs a model stays to be done in the next dream; what else it raises
        ends the dream.
    should_stop
        Asked before and after each question: a message has come, the night is over.
    now
        Seconds since 1970.
    """
    steps = Dream(soul, memory)
    outcomes: list[StepOutcome] = []
    asked, mute = 0, ''
    while len(outcomes) < MOST_STEPS and not should_stop():
        step = steps.next(now())
        if step is None:
            break
        answer = ''
        if step.question:
            if asked == MOST_QUESTIONS:
                break
            try:
                if not mute:
                    asked += 1
                    answer = await think(step)
            except NoThought as silence:
                mute = str(silence) or 'no model'
            if should_stop():
                break
            if mute:
                outcomes.append(steps.leave(step, mute))
                continue
        outcomes.append(steps.apply(step, answer, now()))
    return outcomes
