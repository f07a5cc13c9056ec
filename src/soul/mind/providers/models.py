"""What can be asked for a thought: models, each with a key, in the order of their trying."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from soul.mind.cache_advice import CacheTerms
from soul.mind.providers.base import Completion, Provider, ProviderError, Request
from soul.mind.providers.model_entry import Prices

#: Thinking that costs nothing.
FREE = Prices(read=0.0, written=0.0)


class Thinker(Protocol):
    """Whatever completes a request."""

    async def complete(self, request: Request, heard: Callable[[str, str], None]) -> Completion:
        """Think once; see :meth:`soul.mind.providers.base.Provider.complete`."""


@dataclass(frozen=True)
class Candidate:
    """A model that can be asked now, with the key for it.

    Attributes
    ----------
    model
        Its name, as people know it.
    thinker
        What asks it.
    prices
        What it costs; None: not known.
    metered
        Whether thinking costs anything at all, so that what is not counted is estimated.
    provider
        Whose it is.
    key
        Name of the key; empty: none.
    who
        By which the one who made it knows it again.
    """

    model: str
    thinker: Thinker
    prices: Prices | None = FREE
    metered: bool = True
    provider: str = ''
    key: str = ''
    who: Hashable = None


@runtime_checkable
class Models(Protocol):
    """All that she can think with."""

    @property
    def name(self) -> str:
        """What she thinks with, for people."""

    @property
    def metered(self) -> bool:
        """Whether thinking costs something."""

    @property
    def priced(self) -> bool:
        """Whether it is known what it costs."""

    @property
    def window(self) -> int:
        """Tokens that the first of them can read; 0: not known."""

    @property
    def pictures(self) -> bool:
        """Whether any of them can see."""

    @property
    def cache(self) -> CacheTerms:
        """What is known of the cache of the first of them."""

    def candidates(self, conversation: str) -> Iterator[Candidate]:
        """Return what to ask one after the other until one answers.

        Between two of them :meth:`failed` is told what became of the first.

        Parameters
        ----------
        conversation
            Whose history is sent: who has read it before, has it in a cache.
        """

    def worked(self, candidate: Candidate, conversation: str) -> None:
        """A candidate has answered."""

    def failed(self, candidate: Candidate, error: ProviderError) -> None:
        """A candidate has not."""

    def failure(self, errors: Sequence[ProviderError]) -> ProviderError:
        """Return one error for all that were asked for one request; they may be none."""

    def free_in(self) -> float | None:
        """How long until anything can be asked again, s; None: there are no pauses here."""

    def sooner(self) -> bool:
        """End the pauses for somebody new; False if servers want all that are left."""

    async def close(self) -> None:
        """Let go of connections."""


class OnlyOne:
    """A single backend: it is asked whenever somebody asks."""

    def __init__(self, provider: Provider, prices: Prices | None = FREE) -> None:
        self._provider = provider
        self.window = 0  # the parameters say it
        self.pictures = False
        self.cache = CacheTerms()
        self.metered = bool(getattr(provider, 'metered', True))
        self._candidate = Candidate(provider.name, provider, prices, self.metered)

    @property
    def name(self) -> str:
        """Name of the backend, for people."""
        return self._provider.name

    @property
    def priced(self) -> bool:
        """Whether it is known what it costs."""
        return not self.metered or self._candidate.prices is not None

    def candidates(self, conversation: str) -> Iterator[Candidate]:
        """Return the one there is, whatever became of it before."""
        yield self._candidate

    def worked(self, candidate: Candidate, conversation: str) -> None:
        """Nothing depends on it."""

    def failed(self, candidate: Candidate, error: ProviderError) -> None:
        """There is no other one."""

    def failure(self, errors: Sequence[ProviderError]) -> ProviderError:
        """Return the error of the one request."""
        return errors[0]

    def free_in(self) -> None:
        """There are no pauses here."""

    def sooner(self) -> bool:
        """There are no pauses here."""
        return True

    async def close(self) -> None:
        """Let go of its connections."""
        await self._provider.close()
