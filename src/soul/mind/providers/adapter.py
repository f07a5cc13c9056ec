"""What an adapter does: writes a request as its protocol wants it, and reads the answer."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from soul.mind.messages import Origin
from soul.mind.providers.answer import AnswerReader
from soul.mind.providers.base import ProviderError, Request
from soul.mind.providers.model_entry import ModelEntry

#: Longest answer, where a protocol wants to be told, tokens.
ANSWER_TOKENS = 8192


class Adapter(abc.ABC):
    """One protocol, for one model.

    Parameters
    ----------
    answer_tokens
        Longest answer, where the protocol wants to be told.
    """

    def __init__(self, entry: ModelEntry, answer_tokens: int) -> None:
        self.entry = entry
        self.answer_tokens = answer_tokens
        self.temperature = entry.temperature
        self.origin = Origin(entry.protocol, entry.provider, entry.model)

    @abc.abstractmethod
    def url(self, stream: bool) -> str:
        """Return the address that a request goes to."""

    @abc.abstractmethod
    def headers(self, key: str) -> dict[str, str]:
        """Return the headers that a key stands in; empty key: none."""

    @abc.abstractmethod
    def body(self, request: Request, stream: bool) -> dict[str, Any]:
        """Return a request as the JSON object that is sent."""

    @abc.abstractmethod
    def answer(self, heard: Callable[[str, str], None]) -> AnswerReader:
        """Return what reads one answer."""

    def adapt(self, error: ProviderError) -> bool:
        """Learn from an error what this server cannot take; whether to ask again in its form."""
        if error.status != 400 or self.temperature is None:
            return False
        if 'temperature' not in error.detail.lower():
            return False
        self.temperature = None  # newer models choose it themselves
        return True
