"""Parameters of the guard."""

from __future__ import annotations

from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator

from soul.core.organ import OrganConfig
from soul.guard.permissions import FURTHER, problem

Level = Literal['allow', 'ask', 'deny']


class GuardConfig(OrganConfig):
    """Parameters of the guard."""

    timezone: str = Field(
        '', description='Named zone whose midnight renews her energy; empty: the host.'
    )
    speech: Level = Field('allow', description='Permission to speak aloud.')
    gaze: Level = Field('allow', description='Permission to look around and take pictures.')
    rest: Level = Field('allow', description='Permission for others to send her to sleep.')
    allow: tuple[str, ...] = Field(
        ('expression', 'web'),
        description='Further categories that are allowed, of '
        f'{", ".join(FURTHER)} and what is below them (mcp.notes).',
    )
    deny: tuple[str, ...] = Field(
        (), description='Further categories that are denied, also where they are allowed, too.'
    )
    daily_tokens: int = Field(
        1_000_000, ge=0, le=10**12, description='Tokens she may use a day; 0: no cap.'
    )
    daily_cost: float = Field(
        2.0, ge=0.0, le=10_000.0, description='USD she may cost a day; 0: no cap.'
    )
    monthly_cost: float = Field(
        0.0, ge=0.0, le=100_000.0, description='USD she may cost a month; 0: no cap.'
    )
    daily_wakes: int = Field(
        100, ge=0, le=100_000, description='Wakings she may have a day; 0: no cap.'
    )
    reserve: float = Field(
        0.1, ge=0.0, le=0.9, description='Part of the energy kept for her people, 0..1.'
    )
    say_seconds: float = Field(
        60.0,
        ge=1.0,
        le=600.0,
        description='Longest time a body may take to say something, beside the speaking, s.',
    )
    speech_rate: float = Field(
        5.0, ge=0.5, le=1000.0, description='Slowest speech of a body, characters/s.'
    )
    look_seconds: float = Field(
        45.0, ge=1.0, le=600.0, description='Longest time a body may take to look, s.'
    )

    @field_validator('allow', 'deny')
    @classmethod
    def _known(cls, categories: tuple[str, ...]) -> tuple[str, ...]:
        wrong = [why for why in map(problem, categories) if why]
        if wrong:
            raise ValueError('; '.join(wrong))
        return categories

    @field_validator('timezone')
    @classmethod
    def _zone(cls, name: str) -> str:
        if name:
            try:
                ZoneInfo(name)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                raise ValueError(f'there is no time zone {name!r}') from None
        return name
