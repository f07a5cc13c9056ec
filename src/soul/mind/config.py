"""Parameters of the mind."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from soul.organ import OrganConfig


class MindConfig(OrganConfig):
    """Parameters of the mind."""

    backend: Literal['echo', 'scripted', 'openai'] = Field(
        'echo',
        description='What thinks: echo (offline), scripted (a YAML of turns) or openai (any '
        'OpenAI-compatible server).',
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
    waking_seconds: float = Field(
        120.0, ge=1.0, le=7200.0, description='A waking without progress ends after this, s.'
    )
    waking_tokens: int = Field(
        30000, ge=0, le=10**9, description='Tokens one waking may use; 0: no cap.'
    )
    history_characters: int = Field(
        40000, ge=0, le=10**7, description='How much of earlier wakings is carried along.'
    )
    persona: str = Field(
        'You are Mira, a small robot with a life of your own.',
        description='Who she is, in a few sentences.',
    )

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
