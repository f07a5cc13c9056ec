"""The models that she may think with: `<home>/models.yaml` over the shipped `config/models.yaml`.

The shipped file knows providers (how they are spoken to, and where) and facts about well-known
models (window, pictures, prices). The file of the home says which of them are hers, in the order
in which they are asked; what stands there counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, ValidationError

from soul.mind.providers.model_entry import FILE, Described, ModelEntry, Protocol
from soul.text.resources import resource
from soul.text.tables import problems, quick_yaml

#: What a model takes from its provider, and what from what is known of it.
_OF_PROVIDER = ('protocol', 'base_url')
_NOTHING = {'read': 0.0, 'written': 0.0}
_OF_FACTS = ('window', 'pictures', 'temperature', 'prices', 'cache_seconds')


class CatalogueError(Exception):
    """A file of models cannot be used; says which line of it, and what is allowed."""


class ProviderEntry(Described):
    """How a provider is reached.

    Attributes
    ----------
    key_env
        Environment variable that may hold a key of it.
    keyless
        Whether it is asked without a key if there is none: servers of one's own.
    """

    protocol: Protocol = 'chat'
    base_url: str
    key_env: str = ''
    keyless: bool = False


class _Known(Described):
    """Facts about a model."""

    window: int = 0
    pictures: bool = False
    temperature: float | None = 0.8
    prices: Mapping[str, Any] | None = None
    cache_seconds: float = 0.0


class _ModelsFile(Described):
    providers: Mapping[str, ProviderEntry] = Field(default_factory=dict)
    known: Mapping[str, _Known] = Field(default_factory=dict)
    models: Annotated[tuple[Mapping[str, Any], ...], Field(max_length=200)] = ()


@dataclass(frozen=True)
class ModelCatalogue:
    """What both files say.

    Attributes
    ----------
    providers
        By their ids.
    models
        Hers, in the order in which they are asked; also those that are not enabled.
    known
        Names (`provider/model`) that the shipped file has facts about.
    """

    providers: Mapping[str, ProviderEntry]
    models: tuple[ModelEntry, ...]
    known: tuple[str, ...]

    @property
    def enabled(self) -> tuple[ModelEntry, ...]:
        """The models that are asked, in order."""
        return tuple(model for model in self.models if model.enabled)

    @classmethod
    def load(cls, home: Path, shipped: Path | None = None) -> ModelCatalogue:
        """Read both files; the one of the home need not be there.

        Raises
        ------
        CatalogueError
            If one of them is not what it should be.
        """
        return cls.of(read(home / FILE), home / FILE, shipped)

    @classmethod
    def of(cls, own: Mapping[str, Any], path: Path, shipped: Path | None = None) -> ModelCatalogue:
        """Join what the home's file says with the shipped one.

        Parameters
        ----------
        own
            Content of the home's file.
        path
            Where it stands, for messages.
        """
        source = shipped or resource(FILE)
        base = _table(read(source), source)
        table = _table(own, path)
        providers = {**base.providers, **table.providers}
        known = {**base.known, **table.known}
        models = tuple(
            _entry(given, number, providers, known, path)
            for number, given in enumerate(table.models)
        )
        _check_names(models, path)
        return cls(providers, models, tuple(sorted(known)))


def read(path: Path) -> dict[str, Any]:
    """Return what a file of models says; empty if it is not there.

    Raises
    ------
    CatalogueError
        If it cannot be read, or is no YAML mapping.
    """
    try:
        content = quick_yaml(path.read_text(encoding='utf-8'))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogueError(f'{path} cannot be read: {error}') from error
    except (yaml.YAMLError, RecursionError) as error:
        raise CatalogueError(f'{path} is no YAML: {error}') from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise CatalogueError(f'{path}: `models:` and a list of models is wanted')
    return content


def _table(content: Mapping[str, Any], path: Path) -> _ModelsFile:
    try:
        return _ModelsFile.model_validate(content)
    except ValidationError as error:
        raise CatalogueError(f'{path}: {problems(error)}') from None


def _entry(
    given: Mapping[str, Any],
    number: int,
    providers: Mapping[str, ProviderEntry],
    known: Mapping[str, _Known],
    path: Path,
) -> ModelEntry:
    values = dict(given)
    where = f'{path}: models[{number}]'
    provider, model = values.get('provider'), values.get('model')
    values.setdefault('name', model)
    row = providers.get(provider) if isinstance(provider, str) else None
    if row is not None:
        for name in _OF_PROVIDER:
            values.setdefault(name, getattr(row, name))
        if row.keyless:
            values.setdefault('prices', _NOTHING)  # one's own server
    elif 'base_url' not in values:
        raise CatalogueError(
            f'{where}: the provider {provider!r} is not known: give the model a `base_url`, or '
            f'take one of {", ".join(sorted(providers))}'
        )
    facts = known.get(f'{provider}/{model}')
    if facts is not None:
        for name in _OF_FACTS:
            values.setdefault(name, getattr(facts, name))
    try:
        return ModelEntry.model_validate(values)
    except ValidationError as error:
        raise CatalogueError(f'{where}: {problems(error)}') from None


def _check_names(models: Iterable[ModelEntry], path: Path) -> None:
    seen: set[str] = set()
    for model in models:
        if model.name in seen:
            raise CatalogueError(
                f'{path}: two models are called {model.name!r}: give one another `name`'
            )
        seen.add(model.name)
