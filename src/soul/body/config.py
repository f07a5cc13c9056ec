"""Parameters of the body twin."""

from __future__ import annotations

from pydantic import Field

from soul.core.organ import OrganConfig


class BodyConfig(OrganConfig):
    """Parameters of the body twin."""

    silence_seconds: float = Field(
        10.0,
        ge=1.0,
        le=600.0,
        description='A body that has said nothing for so long is lost, s.',
    )
    lost_grace: float = Field(
        2.0,
        ge=0.0,
        le=60.0,
        description='A body whose driver has lost it is given so long to come back before that '
        'is felt, s.',
    )
    sense_seconds: float = Field(
        120.0,
        ge=1.0,
        le=3600.0,
        description='A sense that has told nothing for so long is unknown, s.',
    )
    sample_min: float = Field(
        120.0,
        ge=1.0,
        le=3600.0,
        description='Time to the next sample of the body after a feeling has changed, s.',
    )
    sample_max: float = Field(
        600.0,
        ge=1.0,
        le=3600.0,
        description='Longest time between two samples, s; at least sample_min.',
    )
    sample_growth: float = Field(
        1.5,
        ge=1.0,
        le=10.0,
        description='The time between two samples grows by this factor while nothing changes.',
    )
    event_pause: float = Field(
        3.0,
        ge=0.0,
        le=600.0,
        description='Shortest time between two events of the same sense, s; what still holds '
        'afterwards is told then.',
    )
    moved_acceleration: float = Field(
        1.5,
        ge=0.1,
        le=50.0,
        description='Acceleration beyond gravity that counts as motion, m/s^2.',
    )
