"""A dream as a turn: in small steps, cut at once when somebody wakes her."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from soul.mind.dream import NoThought, Step
from soul.mind.dream import StepOutcome as Came
from soul.mind.inference import Inference
from soul.mind.inside import Inside
from soul.mind.messages import UserMessage
from soul.mind.ports import Ports
from soul.mind.providers.base import ProviderError, Purpose, Request
from soul.mind.wall import Allowance, Exhausted
from soul.signals import Outcome, Turn, View, Wake

#: So many steps are named in the turn's detail.
NAMED = 5


class Dreaming:
    """At most one dream at a time.

    Parameters
    ----------
    ended
        Called with the turn when the dream is over.
    """

    def __init__(
        self,
        inside: Inside,
        inference: Inference,
        ports: Ports,
        ended: Callable[[Turn], None],
    ) -> None:
        self._inside = inside
        self._inference = inference
        self._ports = ports
        self._ended = ended
        self._task: asyncio.Task[list[Came]] | None = None
        self._allowance = Allowance()
        self._why = ''

    @property
    def busy(self) -> bool:
        """Whether a dream is in progress."""
        return self._task is not None

    def begin(self, wake: Wake, epoch: int, sequence: int) -> None:
        """Dream; the ledger knows of it already."""
        self._allowance = self._inference.wall.aside(sequence)
        self._why = ''
        now = self._ports.now
        begun = now()
        task = asyncio.get_running_loop().create_task(
            self._inside.dream(self._think, lambda: bool(self._why), now)
        )
        self._task = task
        task.add_done_callback(lambda _: self._over(task, wake, epoch, sequence, begun))

    def cut(self, why: str) -> None:
        """End the dream at once; what was done is done whole, the rest waits for the next."""
        if self._task is not None and not self._why:
            self._why = why
            self._task.cancel()

    async def close(self, seconds: float) -> None:
        """Wait for a dream that was cut."""
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=seconds)

    def _over(
        self, task: asyncio.Task[list[Came]], wake: Wake, epoch: int, sequence: int, begun: float
    ) -> None:
        self._task = None
        self._inference.wall.close(self._allowance)
        error = None if task.cancelled() else task.exception()
        outcome, detail = Outcome.SLEPT, self._why
        if task.cancelled():
            outcome = Outcome.CUT
        elif error is not None:
            outcome, detail = Outcome.FAILED, f'{type(error).__name__}: {error}'
        else:
            left = [one for one in task.result() if one.left]
            outcome = Outcome.FAILED if left else Outcome.SLEPT
            detail = left[0].what if left else _told(task.result()) or 'a dreamless moment'
        now, used = self._ports.now(), self._allowance
        self._ended(
            Turn(
                stamp=now,
                epoch=epoch,
                sequence=sequence,
                wake=wake.id,
                causes=wake.causes,
                declined=outcome == Outcome.SLEPT and not task.result(),
                steps=used.answers,
                tokens_in=used.usage.tokens_in,
                tokens_cached=used.usage.cached,
                tokens_out=used.usage.tokens_out,
                cost=used.cost,
                duration=max(0.0, now - begun),
                outcome=outcome,
                detail=detail,
            )
        )

    async def _think(self, step: Step) -> str:
        """Ask the model about a step.

        Without a model at all she dreams by rule. Where one fails, or she cannot pay for it now,
        it is asked in the next dream, and nothing is cut by rule meanwhile.
        """
        inference = self._inference
        if not inference.available.now:
            raise NoThought(inference.available.why)
        request = Request(
            [UserMessage(step.prompt)], (), View(), self._allowance.steps, Purpose.DREAM
        )
        try:
            return (await inference.aside(request, self._allowance)).text
        except (Exhausted, ProviderError) as error:
            raise NoThought(str(error)) from error


def _told(came: list[Came]) -> str:
    done = [one.what for one in came if one.done]
    more = f' and {len(done) - NAMED} more' if len(done) > NAMED else ''
    return '; '.join(done[:NAMED]) + more
