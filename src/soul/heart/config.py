"""Parameters of the heart."""

from __future__ import annotations

from pydantic import Field

from soul.organ import OrganConfig


class HeartConfig(OrganConfig):
    """Parameters of the heart."""

    timezone: str = Field(
        '', description='Named zone of her body clock, for example Europe/Berlin; empty: the host.'
    )
    base_rate: float = Field(4.0, ge=0.0, le=60.0, description='Base wake rate lambda0, 1/h.')
    activity: float = Field(
        1.0, ge=0.0, le=4.0, description='Activity knob: multiplies the wake rate.'
    )
    gamma: float = Field(
        2.0, ge=0.5, le=4.0, description='Exponent of the mean drive in the wake rate.'
    )
    rise_hours: float = Field(
        16.0, ge=6.0, le=30.0, description='Time constant of sleep pressure awake, h.'
    )
    fall_hours: float = Field(
        4.0, ge=1.0, le=10.0, description='Time constant of sleep pressure asleep, h.'
    )
    peak_hour: float = Field(
        16.0, ge=0.0, le=23.99, description='Local hour at which she is most awake.'
    )
    resend_seconds: float = Field(
        2.0,
        ge=0.1,
        le=60.0,
        description='A wake that is not begun is sent again after this, s; doubling up to 60 s.',
    )
    refractory_seconds: float = Field(
        30.0,
        ge=0.0,
        le=3600.0,
        description='After a sense event has woken her, the same kind does not for so long, s.',
    )
    heavy_event: float = Field(
        0.5, ge=0.0, le=1.0, description='Sense events of at least this weight wake her.'
    )
