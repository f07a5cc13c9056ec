"""The model as the mind asks it: within the wall, and left alone for a while after failures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from soul.mind.availability import Availability
from soul.mind.providers.base import Completion, ProviderError, Request
from soul.mind.wall import Allowance, Exhausted, Wall


@dataclass(frozen=True)
class Inference:
    """What it takes to ask the model.

    Parameters
    ----------
    wall
        All limits of money and time.
    available
        Whether it is left alone at the moment.
    """

    wall: Wall
    available: Availability

    async def ask(
        self, request: Request, heard: Callable[[str, str], None], allowance: Allowance
    ) -> Completion:
        """Ask once for a waking; see :meth:`soul.mind.wall.Wall.ask`."""
        completion, _ = await self.wall.ask(request, heard, allowance)
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
