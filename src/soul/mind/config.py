"""Parameters of the mind."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from soul.core.organ import OrganConfig

#: Models that can read no more than this get a short prompt, tokens.
COMPACT_WINDOW = 16384


class MindConfig(OrganConfig):
    """Parameters of the mind."""

    backend: Literal['auto', 'models', 'echo', 'scripted', 'openai'] = Field(
        'auto',
        description='What thinks: models (those of models.yaml in her home, one after the other), '
        'auto (these if there are any, otherwise echo), echo (offline), scripted (a YAML of '
        'turns) or openai (one OpenAI-compatible server).',
    )
    script: str = Field('', description='File of turns for the scripted backend.')
    base_url: str = Field(
        'http://127.0.0.1:11434/v1', description='Address of the OpenAI-compatible server.'
    )
    model: str = Field('', description='Model name the server knows.')
    api_key_env: str = Field(
        'SOUL_API_KEY', description='Environment variable that holds the API key; may be unset.'
    )
    stream: bool = Field(True, description='Receive answers as they are written.')
    temperature: float = Field(0.8, ge=0.0, le=2.0, description='Sampling temperature.')
    price_in: float = Field(
        0.0, ge=0.0, le=1000.0, description='USD per million tokens read by the model.'
    )
    price_cached: float = Field(
        0.0, ge=0.0, le=1000.0, description='USD per million tokens read from its cache.'
    )
    price_out: float = Field(
        0.0, ge=0.0, le=1000.0, description='USD per million tokens written by the model.'
    )
    call_seconds: float = Field(
        90.0, ge=1.0, le=3600.0, description='A model call without progress ends after this, s.'
    )
    first_byte_seconds: float = Field(
        300.0,
        ge=1.0,
        le=3600.0,
        description='The first byte of an answer may take so long, s: a server may have to load '
        'the model. At least call_seconds.',
    )
    waking_seconds: float = Field(
        120.0, ge=1.0, le=7200.0, description='A waking without progress ends after this, s.'
    )
    waking_tokens: int = Field(
        30000,
        ge=0,
        le=10**9,
        description='Tokens one waking may bring, beside what a cache serves; 0: no cap.',
    )
    answer_tokens: int = Field(
        16_000,
        ge=100,
        le=10**7,
        description='An answer that grows above so many tokens is ended, thinking and calls '
        'included.',
    )
    answer_seconds: float = Field(
        600.0,
        ge=1.0,
        le=7200.0,
        description='An answer that takes longer, from its first byte on, is ended, s.',
    )
    requests_per_minute: int = Field(
        30,
        ge=1,
        le=10_000,
        description='The model is asked at most so often in any minute, whatever for.',
    )
    fruitless_steps: int = Field(
        5,
        ge=1,
        le=1000,
        description='So many steps in a row without any effect (refused, unknown or invalid '
        'calls) end a waking, with the same growing pause as a failing model.',
    )
    ceiling_tokens: int = Field(
        100_000,
        ge=2000,
        le=10**7,
        description='Above so many tokens the oldest wakings become an account of them.',
    )
    keep_tokens: int = Field(
        20_000, ge=0, le=10**7, description='So many of the newest tokens stay word for word.'
    )
    context_window: int = Field(
        0,
        ge=0,
        le=10**8,
        description='Tokens the model can read; 0: not known. At 16384 or fewer she gets a short '
        'prompt and fewer tools.',
    )
    warm_up: bool = Field(
        False,
        description='Let the server read at the start what never changes, so that it is in its '
        'cache when somebody speaks. For servers of this machine; others charge for it.',
    )
    vision: bool = Field(False, description='Whether the model can see pictures.')
    language: str = Field(
        'en',
        description='Language of what she reads: a file in config/mind without .yaml, or a path.',
    )
    persona: str = Field(
        'mira',
        description='Who she is: a file in config/persona without .yaml, or a path.',
    )
    machine_url: str = Field(
        '',
        description='Address of her own Linux machine (POST {url}/exec); empty: she has none. '
        'Also allow the category machine in the guard.',
    )
    machine_token_env: str = Field(
        'SOUL_MACHINE_TOKEN', description='Environment variable that holds its token.'
    )
    search: Literal['none', 'searxng', 'brave'] = Field(
        'none', description='Search engine she may use.'
    )
    search_url: str = Field('', description='Address of the SearXNG instance; for Brave empty.')
    search_key_env: str = Field(
        'SOUL_SEARCH_KEY', description='Environment variable that holds the search key.'
    )
    web_pages: bool = Field(True, description='Whether she may read pages of the public web.')
    mcp_servers: str = Field(
        '',
        description='JSON file that names MCP servers ({"mcpServers": {...}}); empty: none. Also '
        'allow the category mcp (or mcp.<server>) in the guard.',
    )
    backups: str = Field(
        'backups',
        description='Folder of her daily backup, below her home unless absolute; empty: none.',
    )
    settle_seconds: float = Field(
        3.0,
        ge=0.0,
        le=60.0,
        description='After a start her first waking waits so long for her body to answer, s.',
    )

    @property
    def compact(self) -> bool:
        """Whether the model can read only little."""
        return 0 < self.context_window <= COMPACT_WINDOW

    def fitting(self, window: int, pictures: bool) -> MindConfig:
        """Return the parameters with what is known of a model where they leave it open.

        Parameters
        ----------
        window
            Tokens it can read; 0: not known.
        pictures
            Whether it can see.
        """
        changed = {
            'context_window': self.context_window or window,
            'vision': self.vision or pictures,
        }
        return self.model_copy(update=changed)

    @model_validator(mode='after')
    def _backend_is_complete(self) -> MindConfig:
        url = urlsplit(self.base_url)
        if url.scheme not in ('http', 'https') or not url.hostname:
            raise ValueError(
                f'parameter base_url is {self.base_url!r}, allowed is an http:// or https:// '
                'address'
            )
        if self.backend == 'openai' and not self.model.strip():
            raise ValueError(
                f"parameter model is {self.model!r}: backend 'openai' needs the name of a model "
                'that the server knows'
            )
        if self.backend == 'scripted' and not self.script:
            raise ValueError("parameter script is '': backend 'scripted' needs a file of turns")
        return self
