"""The one server of chat completions that the parameters name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx

from soul.mind.providers.adapter import ANSWER_TOKENS
from soul.mind.providers.base import Completion, Request
from soul.mind.providers.chat import Chat
from soul.mind.providers.client import ModelClient
from soul.mind.providers.model_entry import ModelEntry


class OpenAI(ModelClient):
    """A chat-completions client.

    Parameters
    ----------
    base_url
        Address up to and including the version, for example http://127.0.0.1:11434/v1.
    api_key_env
        Name of the environment variable that holds the key; the key itself stays there.
    temperature
        Sampling temperature; None: none is sent.
    stream, seconds, first_seconds
        As with :class:`~soul.mind.providers.client.ModelClient`.

    Raises
    ------
    StartRefused
        If the environment names a proxy that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key_env: str = '',
        stream: bool = True,
        temperature: float | None = 0.8,
        seconds: float = 90.0,
        first_seconds: float | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._key_name = api_key_env
        super().__init__(
            Chat(entry_of(base_url, model, temperature), ANSWER_TOKENS),
            stream,
            seconds,
            first_seconds,
            f'the key in ${api_key_env}',
            transport,
        )

    async def complete(
        self, request: Request, heard: Callable[[str, str], None], key: str = ''
    ) -> Completion:
        """Ask the server once; see :meth:`ModelClient.complete`.

        Parameters
        ----------
        key
            That is sent; empty: that of the environment variable, if there is one.
        """
        if not key and self._key_name:
            key = os.environ.get(self._key_name, '')
        return await super().complete(request, heard, key)


def entry_of(base_url: str, model: str, temperature: float | None) -> ModelEntry:
    """Describe a model that only an address and a name are known of."""
    host = re.sub(r'[^A-Za-z0-9._-]', '-', urlsplit(base_url).netloc.rpartition('@')[2])
    entry = ModelEntry(
        name='model',
        provider=f'at-{host}'[:100],
        base_url=base_url,
        model=model or 'default',
        pictures=True,
        temperature=temperature,
    )
    # some servers know one model only, and want no name
    return entry.model_copy(update={'model': model})
