"""Parameters of the body twin."""

from __future__ import annotations

from pydantic import Field

from soul.organ import OrganConfig


class BodyConfig(OrganConfig):
    """Parameters of the body twin."""

    silence_seconds: float = Field(
        10.0,
        ge=1.0,
        le=600.0,
        description='A body that has said nothing for so long is lost, s.',
    )
    moved_acceleration: float = Field(
        1.5,
        ge=0.1,
        le=50.0,
        description='Acceleration beyond gravity that counts as motion, m/s^2.',
    )
    host_seconds: float = Field(
        30.0,
        ge=1.0,
        le=600.0,
        description='How often the host is looked at (load, memory, disk), s.',
    )
