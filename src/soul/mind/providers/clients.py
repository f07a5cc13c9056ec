"""Makes what speaks with a model's server, by its protocol."""

from __future__ import annotations

import httpx

from soul.mind.providers.adapter import ANSWER_TOKENS, Adapter
from soul.mind.providers.anthropic import Anthropic
from soul.mind.providers.chat import Chat
from soul.mind.providers.client import ModelClient
from soul.mind.providers.gemini import Gemini
from soul.mind.providers.model_entry import ModelEntry
from soul.mind.providers.responses import Responses

_ADAPTERS: dict[str, type[Adapter]] = {
    'chat': Chat,
    'responses': Responses,
    'anthropic': Anthropic,
    'gemini': Gemini,
}


def client_of(
    entry: ModelEntry,
    stream: bool = True,
    seconds: float = 90.0,
    first_seconds: float | None = None,
    answer_tokens: int = ANSWER_TOKENS,
    transport: httpx.AsyncBaseTransport | None = None,
) -> ModelClient:
    """Make a client.

    Parameters
    ----------
    answer_tokens
        Longest answer that is asked for, where a protocol wants to be told.
    stream, seconds, first_seconds
        As with :class:`~soul.mind.providers.client.ModelClient`.

    Raises
    ------
    StartRefused
        If the environment names a proxy that cannot be used.
    """
    adapter = _ADAPTERS[entry.protocol](entry, answer_tokens)
    words = f'the key of {entry.provider}'
    return ModelClient(adapter, stream, seconds, first_seconds, words, transport)
