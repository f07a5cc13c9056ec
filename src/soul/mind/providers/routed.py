"""Makes the router over the models of a home."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from soul.core.organ import StartRefused
from soul.keys import KeyRing
from soul.mind.config import MindConfig
from soul.mind.providers import clients
from soul.mind.providers.catalogue import CatalogueError, ModelCatalogue
from soul.mind.providers.model_entry import ModelEntry
from soul.mind.providers.router import Client, Router


def router(
    config: MindConfig,
    home: Path,
    tell: Callable[[str], None],
    clock: Callable[[], float],
) -> Router | None:
    """Make it; None: no model is enabled.

    Raises
    ------
    StartRefused
        If a file of models cannot be used.
    """
    try:
        catalogue = ModelCatalogue.load(home)
    except CatalogueError as error:
        raise StartRefused(f'mind: {error}') from error
    if not catalogue.enabled:
        return None
    ring = KeyRing(home, os.environ, tell)
    return Router(
        catalogue.enabled,
        catalogue.providers,
        ring,
        lambda entry: client_of(entry, config),
        clock,
    )


def trial_client(entry: ModelEntry, stream: bool) -> Client:
    """Make what speaks with a model's server, with default limits, for `soul models test`."""
    return client_of(entry, MindConfig.model_validate({'stream': stream}))


def client_of(entry: ModelEntry, config: MindConfig) -> Client:
    """Make what speaks with a model's server."""
    return clients.client_of(entry, config.stream, config.call_seconds, config.first_byte_seconds)
