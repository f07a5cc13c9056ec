"""Parameters of the field."""

from __future__ import annotations

from pydantic import Field

from soul.organ import OrganConfig


class FieldConfig(OrganConfig):
    """Parameters of the field."""

    timezone: str = Field(
        '', description='Named zone of the time she sees, for example Asia/Tokyo; empty: the host.'
    )
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
    capacity: int = Field(
        2400, ge=200, le=100000, description='How much the field holds, in characters.'
    )
