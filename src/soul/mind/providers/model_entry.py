"""A model that she may think with, as `models.yaml` describes it."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

#: How a server is spoken to: OpenAI's chat completions or responses, Anthropic's messages, or
#: Gemini's generateContent.
Protocol = Literal['chat', 'responses', 'anthropic', 'gemini']

#: Where a home says what she thinks with.
FILE = 'models.yaml'

_NAME = r'[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}'
Price = Annotated[float, Field(ge=0.0, le=10_000.0)]


class Described(BaseModel):
    """A part of `models.yaml`: what it does not know is refused, and it never changes."""

    model_config = ConfigDict(extra='forbid', frozen=True)


class Prices(Described):
    """What a million tokens cost, USD.

    Attributes
    ----------
    read
        That are read anew.
    cached
        That the provider's cache serves; unset: as `read`.
    cache_write
        That are written into its cache; unset: as `read`.
    written
        That the model writes.
    """

    read: Price
    written: Price
    cached: Price | None = None
    cache_write: Price | None = None

    def cost(self, fresh: int, cached: int, cache_write: int, written: int) -> float:
        """Return what tokens cost, USD.

        Parameters
        ----------
        fresh
            Read anew and not written into the cache.
        """
        read_cached = self.read if self.cached is None else self.cached
        write_cache = self.read if self.cache_write is None else self.cache_write
        micro = fresh * self.read + cached * read_cached
        return (micro + cache_write * write_cache + written * self.written) / 1e6


class ModelEntry(Described):
    """One model at one address.

    Attributes
    ----------
    name
        By which people and the router call it.
    provider
        Whose keys are used for it.
    model
        Its name at the server.
    base_url
        Address up to and including the version, for example https://api.openai.com/v1.
    window
        Tokens it can read; 0: not known.
    pictures
        Whether it can see.
    temperature
        Sampling temperature; None: none is sent, for models that refuse one.
    prices
        What it costs; None: not known, which is not the same as nothing.
    cache_seconds
        How long its provider's cache keeps what was read, s; 0: not known.
    enabled
        Whether it is asked.
    """

    name: Annotated[str, Field(pattern=f'^{_NAME}$')]
    provider: Annotated[str, Field(pattern=f'^{_NAME}$')]
    protocol: Protocol = 'chat'
    base_url: str
    model: Annotated[str, Field(min_length=1, max_length=200)]
    window: Annotated[int, Field(ge=0, le=10**8)] = 0
    pictures: bool = False
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = 0.8
    prices: Prices | None = None
    cache_seconds: Annotated[float, Field(ge=0.0, le=7 * 86_400.0)] = 0.0
    enabled: bool = True

    @field_validator('base_url')
    @classmethod
    def _address(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ('http', 'https') or not parts.hostname:
            raise ValueError(f'{url!r} is no http:// or https:// address')
        return url.rstrip('/')
