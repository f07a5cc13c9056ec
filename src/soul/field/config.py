"""Parameters of the field; the defaults are those of SoulScript Loop unless a comment says why."""

from __future__ import annotations

from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator

from soul.core.organ import OrganConfig
from soul.field import features, words


class FieldConfig(OrganConfig):
    """Parameters of the field."""

    # --- what she reads -------------------------------------------------------------------
    timezone: str = Field(
        '', description='Named zone of the time she sees, for example Asia/Tokyo; empty: the host.'
    )
    language: str = Field(
        'en',
        description='Language of her view: a file of config/view, or the path of one.',
    )
    figures: bool = Field(
        False,
        description='Write amounts as numbers (ticks, percent, tokens, seconds); otherwise she '
        'has only words and bars.',
    )

    # --- the door -------------------------------------------------------------------------
    message_limit: int = Field(
        16000,
        ge=100,
        le=1000000,
        description='Longest message the door takes, in characters; longer ones are refused.',
    )
    knock_seconds: float = Field(
        2.0,
        ge=0.1,
        le=60.0,
        description='A knock nobody has woken for is repeated after this, s; doubling up to 60 s.',
    )

    persona: str = Field(
        'mira',
        description='Who she is, as for the mind; the door knows her people from it.',
    )

    # --- the field ------------------------------------------------------------------------
    capacity_chars: int = Field(
        2400, ge=200, le=1000000, description='How much the field holds, in characters.'
    )
    capture_threshold: float = Field(
        0.45,
        ge=0.0,
        le=1.0,
        description='Salience from which an arrival takes her focus; a focus she chose holds 0.2 '
        'better.',
    )
    rumination_ticks: int = Field(
        5,
        ge=1,
        le=1000,
        description='Wakings on one focus without acting before her body notices.',
    )
    repetition_felt: int = Field(
        1,
        ge=1,
        le=1000,
        description='Identical wakings in a row, beyond the first, before she feels that she '
        'repeats herself; the guard makes her rest later.',
    )
    percept_limit: int = Field(
        4000,
        ge=100,
        le=100000,
        description='Longest text of a percept, a task or what a tool showed, in characters; '
        'longer ones are cut.',
    )
    features: str = Field(
        '',
        description='YAML file with features of your own to predict, over config/features.yaml.',
    )

    # --- channels -------------------------------------------------------------------------
    channels: tuple[str, ...] = Field(
        ('time', 'body', 'door', 'bench'),
        description='What she senses with: modules of soul.field.channels, or a module of your '
        'own by its full name.',
    )
    bench_files: int = Field(
        4, ge=0, le=100, description='So many of her newest files lie in the field.'
    )
    workbench: str = Field(
        'workbench', description='Folder of her workbench, below her home unless absolute.'
    )

    # --- relatedness ----------------------------------------------------------------------
    embedder: Literal['auto', 'minilm', 'onnx', 'sentence-transformers', 'hash'] = Field(
        'auto',
        description='What places things: a model (minilm: by whichever library is there), hashed '
        'groups of characters, or auto: the best that is there.',
    )
    embedder_model: str = Field(
        '',
        description="Folder with the model's files (model.onnx and tokenizer.json, or a "
        'sentence-transformers model); empty: what installed packages carry.',
    )

    @field_validator('timezone')
    @classmethod
    def _known_zone(cls, value: str) -> str:
        if value:
            try:
                ZoneInfo(value)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                raise ValueError(f'there is no time zone {value!r}') from None
        return value

    @field_validator('language')
    @classmethod
    def _known_language(cls, value: str) -> str:
        words.load(value)
        return value

    @field_validator('features')
    @classmethod
    def _readable_features(cls, value: str) -> str:
        features.load(value)
        return value

    def zone(self) -> ZoneInfo | None:
        """Zone of the time she sees; None: the host's."""
        return ZoneInfo(self.timezone) if self.timezone else None
