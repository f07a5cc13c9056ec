"""Walks the enabled models in their order, and the keys of each, until one answers.

A failure that is the key's own, or that another key may not have, is followed by the next key; one
that is the model's by the next model. Of one model at most two keys are tried for one request, the
others at the next. Within a conversation the key stays the same as long as it works: its provider
has the history in a cache.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from soul.core.bounded import BoundedDict
from soul.keys import Key
from soul.mind.cache_advice import CacheTerms
from soul.mind.providers.base import Completion, Fault, ProviderError, Request
from soul.mind.providers.catalogue import ProviderEntry
from soul.mind.providers.cooldowns import Cooldowns
from soul.mind.providers.model_entry import ModelEntry
from soul.mind.providers.models import Candidate

#: So many keys of a model are tried for one request.
MOST_KEYS = 2
#: Without any key at all it is looked so often whether there is one, s.
UNABLE = 30.0
#: So many conversations have a key of their own.
_MOST_PINNED = 500


class Client(Protocol):
    """Speaks with the server of one model."""

    async def complete(
        self, request: Request, heard: Callable[[str, str], None], key: str = ''
    ) -> Completion:
        """Ask once with a key."""

    async def close(self) -> None:
        """Let go of connections."""


class Keys(Protocol):
    """Knows the keys of each provider; see :class:`soul.keys.KeyRing`."""

    def of(self, provider: str, variable: str = '') -> tuple[Key, ...]:
        """Return a provider's keys."""

    def redact(self, text: str) -> str:
        """Return a text without any key."""


@dataclass(frozen=True)
class _WithKey:
    """Asks a model with one key; nothing of the key leaves in an error."""

    client: Client
    key: Key | None
    redact: Callable[[str], str]

    async def complete(self, request: Request, heard: Callable[[str, str], None]) -> Completion:
        try:
            return await self.client.complete(request, heard, self.key.secret if self.key else '')
        except ProviderError as error:
            error.args = tuple(self.redact(str(part)) for part in error.args)
            error.detail = self.redact(error.detail)
            raise


class Router:
    """All models of a catalogue.

    Parameters
    ----------
    models
        That are asked, in order; at least one.
    providers
        How each is reached, by its id.
    keys
        The keys.
    client_of
        Makes what speaks with a model's server.
    clock
        Monotonic seconds.
    """

    def __init__(
        self,
        models: Sequence[ModelEntry],
        providers: Mapping[str, ProviderEntry],
        keys: Keys,
        client_of: Callable[[ModelEntry], Client],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._models = tuple(models)
        self._providers = providers
        self._keys = keys
        self._client_of = client_of
        self._clients: dict[str, Client] = {}  # by the model's name
        self._cooldowns = Cooldowns(clock)
        self._pinned: BoundedDict[tuple[str, str], str] = BoundedDict(_MOST_PINNED)
        self._turn: dict[str, int] = {}  # by model: which key is the next one's first
        self._newest = self._models[0].name

    @property
    def name(self) -> str:
        """The model that has answered last."""
        return self._newest

    @property
    def metered(self) -> bool:
        """Whether thinking costs something: it does."""
        return True

    @property
    def priced(self) -> bool:
        """Whether it is known what each model costs."""
        return all(model.prices is not None for model in self._models)

    @property
    def window(self) -> int:
        """Tokens that the first model can read; 0: not known."""
        return self._models[0].window

    @property
    def pictures(self) -> bool:
        """Whether any model can see."""
        return any(model.pictures for model in self._models)

    @property
    def cache(self) -> CacheTerms:
        """What is known of the cache of the first model."""
        first = self._models[0]
        return CacheTerms(first.name, first.cache_seconds, first.prices)

    def candidates(self, conversation: str) -> Iterator[Candidate]:
        """Return what to ask one after the other; see :class:`Models`."""
        for model in self._models:
            tried = 0
            for key in self._in_turn(model, conversation):
                # what the one before has failed with may have ended this model's turn
                if self._waits(model, key):
                    continue
                tried += 1
                yield self._candidate(model, key)
                if tried == MOST_KEYS:
                    break

    def worked(self, candidate: Candidate, conversation: str) -> None:
        """A candidate has answered: in this conversation its key stays."""
        self._newest = candidate.model
        self._cooldowns.worked(_model(candidate.model))
        self._cooldowns.worked(candidate.who)
        self._pinned[conversation, candidate.model] = candidate.key

    def failed(self, candidate: Candidate, error: ProviderError) -> None:
        """Leave the key or the model alone for a while; what is too long is nobody's fault."""
        if error.fault == Fault.TOO_LONG:
            return
        if error.fault == Fault.MODEL:
            self._cooldowns.failed(_model(candidate.model), error)
            return
        self._cooldowns.failed(candidate.who, error)
        for pin, key in list(self._pinned.items()):
            if (pin[1], key) == (candidate.model, candidate.key):
                del self._pinned[pin]

    def failure(self, errors: Sequence[ProviderError]) -> ProviderError:
        """Return the first error, with what became of the others in its `detail`."""
        missing = self._missing()
        details = [error.detail or str(error) for error in errors]
        detail = '; '.join(dict.fromkeys([*details, *([missing] if missing else [])]))
        if not errors:
            return ProviderError('no model can be asked now', detail=detail)
        first = errors[0]
        return ProviderError(
            str(first),
            lasting=all(error.lasting for error in errors),
            detail=detail,
            status=first.status,
            fault=first.fault,
        )

    def _missing(self) -> str:
        without = [model for model in self._models if not self._keys_of(model)]
        return '; '.join(
            f'{m.name} needs a key of {m.provider}: soul keys add {m.provider}' for m in without
        )

    def free_in(self) -> float:
        """How long until anything can be asked again, s."""
        waits = [
            max(self._cooldowns.free_in(_model(model.name)), self._cooldowns.free_in(who))
            for model, who in self._everybody()
        ]
        return min(waits, default=UNABLE)

    def sooner(self) -> bool:
        """End pauses that no server has asked for; whether anything can be asked now.

        A key that was refused is only tried again if there is nothing else.
        """
        for refused in (False, True):
            if self.free_in() == 0.0:
                return True
            for model, who in self._everybody():
                self._cooldowns.sooner(_model(model.name))
                if refused or self._cooldowns.fault(who) != Fault.KEY:
                    self._cooldowns.sooner(who)
        return self.free_in() == 0.0

    async def close(self) -> None:
        """Let go of all connections."""
        for client in self._clients.values():
            await client.close()

    # --- keys -----------------------------------------------------------------------------

    def _keys_of(self, model: ModelEntry) -> tuple[Key | None, ...]:
        """Return a model's keys; None stands for asking without one."""
        entry = self._providers.get(model.provider)
        keys = self._keys.of(model.provider, entry.key_env if entry is not None else '')
        keyless = entry is None or entry.keyless
        return keys or ((None,) if keyless else ())

    def _in_turn(self, model: ModelEntry, conversation: str) -> list[Key | None]:
        """Return a model's keys: first that of the conversation, then in turn."""
        keys = list(self._keys_of(model))
        if len(keys) < 2:
            return keys
        pinned = self._pinned.get((conversation, model.name))
        turn = self._turn.get(model.name, 0)
        self._turn[model.name] = turn + 1
        rotated = list(itertools.islice(itertools.cycle(keys), turn, turn + len(keys)))
        return sorted(rotated, key=lambda key: key is None or key.name != pinned)

    def _everybody(self) -> Iterator[tuple[ModelEntry, Hashable]]:
        for model in self._models:
            for key in self._keys_of(model):
                yield model, _who(model, key)

    def _waits(self, model: ModelEntry, key: Key | None) -> bool:
        pauses = (_model(model.name), _who(model, key))
        return any(self._cooldowns.free_in(who) > 0.0 for who in pauses)

    def _candidate(self, model: ModelEntry, key: Key | None) -> Candidate:
        if model.name not in self._clients:
            self._clients[model.name] = self._client_of(model)
        return Candidate(
            model.name,
            _WithKey(self._clients[model.name], key, self._keys.redact),
            model.prices,
            provider=model.provider,
            key=key.name if key is not None else '',
            who=_who(model, key),
        )


def _model(name: str) -> Hashable:
    """Return under what the pauses of a model itself are kept."""
    return (name,)


def _who(model: ModelEntry, key: Key | None) -> Hashable:
    """Return under what the pauses of a model's key are kept; a rotated one is another one."""
    return (model.name, key.name, key.added) if key is not None else (model.name, '')
