"""Makes the backend that the parameters name."""

from __future__ import annotations

from soul.mind.config import MindConfig
from soul.mind.providers.base import Provider
from soul.mind.providers.echo import Echo
from soul.mind.providers.scripted import Scripted


def provider(config: MindConfig) -> Provider:
    """Make the backend.

    Raises
    ------
    ScriptError
        If the script cannot be played.
    """
    if config.backend == 'scripted':
        return Scripted.from_file(config.script)
    if config.backend == 'openai':
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
    return Echo()
