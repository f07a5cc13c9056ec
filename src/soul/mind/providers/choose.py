"""Makes what she thinks with from what the parameters and her home name."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from soul.core.organ import StartRefused
from soul.mind.config import MindConfig
from soul.mind.providers.base import Provider
from soul.mind.providers.echo import Echo
from soul.mind.providers.model_entry import FILE, Prices
from soul.mind.providers.models import FREE, Models, OnlyOne
from soul.mind.providers.scripted import Scripted


def models(
    config: MindConfig,
    home: Path,
    tell: Callable[[str], None],
    clock: Callable[[], float],
) -> Models:
    """Make it.

    Parameters
    ----------
    home
        Whose `models.yaml` and keys.
    tell
        Hears what is wrong with the keys.
    clock
        Seconds that nobody sets.

    Raises
    ------
    StartRefused
        If a file that is needed cannot be used.
    """
    if config.backend == 'scripted':
        return OnlyOne(Scripted.from_file(config.script))
    if config.backend == 'openai':
        return OnlyOne(_openai(config), prices(config))
    if config.backend == 'models' or (config.backend == 'auto' and (home / FILE).exists()):
        from soul.mind.providers.routed import router  # only here: its HTTP client takes a while

        found = router(config, home, tell, clock)
        if found is not None:
            return found
        if config.backend == 'models':
            raise StartRefused(
                f'no model is enabled in {home / FILE}: soul models add <provider>/<model>'
            )
    return OnlyOne(Echo())


def prices(config: MindConfig) -> Prices | None:
    """Return what the parameters say that a model costs; None: they do not say it."""
    if config.price_in or config.price_cached or config.price_out:
        return Prices(read=config.price_in, cached=config.price_cached, written=config.price_out)
    return FREE if is_own(config.base_url) else None


def is_own(url: str) -> bool:
    """Whether an address is of this machine or its network, where nobody is paid."""
    host = urlsplit(url).hostname or ''
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host == 'localhost' or '.' not in host or host.endswith('.local')


def _openai(config: MindConfig) -> Provider:
    from soul.mind.providers.openai import OpenAI  # only here: its HTTP client takes a while

    return OpenAI(
        config.base_url,
        config.model,
        config.api_key_env,
        config.stream,
        config.temperature,
        config.call_seconds,
        config.first_byte_seconds,
    )
