"""The model as the mind asks it: within the wall, and left alone for a while after failures."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass

from soul.mind.availability import Availability
from soul.mind.providers.base import (
    Completion,
    Fault,
    ProviderError,
    Purpose,
    Request,
)
from soul.mind.providers.models import Candidate, Models
from soul.mind.wall import Allowance, Exhausted, Wall
from soul.signals import ModelCall


@dataclass(frozen=True)
class Inference:
    """What it takes to ask a model.

    Parameters
    ----------
    wall
        All limits of money and time.
    available
        Whether all models are left alone at the moment.
    models
        What can be asked.
    tell
        Hears of each request that was made.
    now
        The node's clock, s.
    """

    wall: Wall
    available: Availability
    models: Models
    tell: Callable[[ModelCall], None] = lambda call: None
    now: Callable[[], float] = time.time

    async def ask(
        self,
        request: Request,
        heard: Callable[[str, str], None],
        allowance: Allowance,
        again: Callable[[], None] = lambda: None,
    ) -> Completion:
        """Ask one model after the other until one answers; each within all limits.

        Parameters
        ----------
        again
            Called before each further try.

        Raises
        ------
        ProviderError
            If none has; of the first that was asked, with what became of the others in its
            `detail`.
        Exhausted
            If a limit does not allow it.
        OSError
            If it cannot be written down beforehand.
        """
        errors: list[ProviderError] = []
        empty: Completion | None = None
        for candidate in self.models.candidates(request.conversation):
            if errors:
                again()
            try:
                completion = await self._try(request, heard, allowance, candidate)
            except ProviderError as error:
                self.models.failed(candidate, error)
                errors.append(error)
                if error.too_long:  # with less, the same model can do it
                    raise
                continue
            if not (candidate.metered and completion.empty) or request.purpose == Purpose.WARM_UP:
                self.models.worked(candidate, request.conversation)
                return completion
            empty = completion
            errors.append(ProviderError('the model gave an empty answer', fault=Fault.AGAIN))
            self.models.failed(candidate, errors[-1])
        if empty is not None and all(error.fault == Fault.AGAIN for error in errors):
            return empty
        raise self.models.failure(errors)

    async def _try(
        self,
        request: Request,
        heard: Callable[[str, str], None],
        allowance: Allowance,
        candidate: Candidate,
    ) -> Completion:
        call = ModelCall(
            stamp=self.now(),
            session=request.conversation,
            purpose=request.purpose,
            provider=candidate.provider,
            model=candidate.model,
            key=candidate.key,
            cost_known=candidate.prices is not None,
        )
        begun, steps = time.monotonic(), allowance.steps
        usage, price = allowance.usage, allowance.cost
        failure, status = 'cut', 0
        try:
            completion, _ = await self.wall.ask(request, heard, allowance, candidate)
            failure, status = '', 200
        except ProviderError as error:
            failure, status = str(error), error.status
            raise
        finally:
            if candidate.metered and allowance.steps > steps:  # it was sent
                used = allowance.usage
                self.tell(
                    dataclasses.replace(
                        call,
                        duration=time.monotonic() - begun,
                        status=status,
                        failure=failure,
                        tokens_in=used.tokens_in - usage.tokens_in,
                        tokens_cached=used.cached - usage.cached,
                        tokens_written=used.cache_write - usage.cache_write,
                        tokens_out=used.tokens_out - usage.tokens_out,
                        cost=max(0.0, allowance.cost - price),
                    )
                )
        return completion

    async def warm_up(self, request: Request) -> str:
        """Let the server read what stands first; where that fails it is left alone for a while.

        Returns
        -------
        str
            Which limit does not allow it; empty: none.
        """
        try:
            await self.ask(request, lambda kind, piece: None, Allowance())
        except ProviderError as error:
            self.available.failed(error)
        except Exhausted as limit:
            return str(limit)
        return ''

    async def aside(self, request: Request, allowance: Allowance) -> Completion:
        """Think outside any waking: within all limits, counted and written down.

        Raises
        ------
        ProviderError
            If there is no completion, or an empty one; the model is left alone for a while then.
        Exhausted
            If a limit does not allow it.
        OSError
            If it cannot be written down.
        """
        try:
            completion = await self.ask(request, lambda kind, piece: None, allowance)
            if self.wall.metered and completion.empty:
                raise ProviderError('the model gave an empty answer')
        except ProviderError as error:
            self.available.failed(error)
            raise
        return completion
