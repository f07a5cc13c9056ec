"""Parameters of the heart. The defaults are the merge; profiles set a seed's own behaviour."""

from __future__ import annotations

from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator, model_validator

from soul.core.interfaces import LONGEST_REST_MINUTES
from soul.core.organ import OrganConfig


class HeartConfig(OrganConfig):
    """Parameters of the heart."""

    timezone: str = Field(
        '', description='Named zone of her body clock, for example Europe/Berlin; empty: the host.'
    )
    language: str = Field(
        'en',
        description='Language of her sensations: a file of config/sensations, or the path of one.',
    )
    drives_file: str = Field(
        '',
        description='YAML file with drives and events of your own, over the standard ones.',
    )
    boredom_thresholds: tuple[float, ...] = Field(
        (4.0, 11.0, 22.0),
        description='Wakings in a row without anything new from which boredom is felt; rising.',
    )
    cadence: Literal['poisson', 'chosen', 'adaptive'] = Field(
        'poisson',
        description='What decides when she wakes by herself: her state, as a Poisson process; '
        'her own choice of minutes; or an interval that energy and arousal stretch.',
    )

    # --- the wake rate --------------------------------------------------------------------
    base_rate: float = Field(4.0, ge=0.0, le=60.0, description='Base wake rate lambda0, 1/h.')
    activity: float = Field(
        1.0, ge=0.0, le=4.0, description='Activity knob: multiplies the wake rate.'
    )
    gamma: float = Field(
        2.0, ge=0.5, le=4.0, description='Exponent of the mean drive in the wake rate.'
    )
    step_seconds: float = Field(
        900.0,
        ge=1.0,
        le=14400.0,
        description='Integration step of the sampling, s; it never wakes her.',
    )

    # --- sleep ----------------------------------------------------------------------------
    rise_hours: float = Field(
        16.0, ge=6.0, le=30.0, description='Time constant of sleep pressure awake, h.'
    )
    fall_hours: float = Field(
        4.0, ge=1.0, le=10.0, description='Time constant of sleep pressure asleep, h.'
    )
    peak_hour: float = Field(
        16.0, ge=0.0, le=23.99, description='Local hour at which she is most awake.'
    )
    sleep_above: float = Field(
        0.35, ge=0.05, le=0.9, description='She falls asleep above this value of S - C.'
    )
    wake_below: float = Field(
        -0.15, ge=-0.9, le=-0.05, description='She wakes up below this value of S - C.'
    )
    effort_tokens: float = Field(
        2_000_000.0,
        ge=1000.0,
        le=1e12,
        description='So many tokens of a waking add 1 to the sleep pressure.',
    )
    effort_step: float = Field(
        0.004, ge=0.0, le=1.0, description='What a step of a waking adds to the sleep pressure.'
    )
    effort_most: float = Field(
        0.15, ge=0.0, le=1.0, description='The most that one waking adds to the sleep pressure.'
    )
    effort_declined: float = Field(
        0.005, ge=0.0, le=1.0, description='What a declined waking adds to the sleep pressure.'
    )

    # --- what holds her down --------------------------------------------------------------
    hot_celsius: float = Field(
        45.0, ge=0.0, le=120.0, description='From this temperature on she is held down, deg C.'
    )
    hot_factor: float = Field(
        0.1, ge=0.0, le=1.0, description='Factor on the wake rate while she overheats.'
    )
    low_charge: float = Field(
        0.15,
        ge=0.0,
        le=1.0,
        description='Below this charge, and not charging, she is held down, 0 to 1.',
    )
    low_battery_factor: float = Field(
        0.2, ge=0.0, le=1.0, description='Factor on the wake rate while the battery is low.'
    )
    offline_factor: float = Field(
        0.5, ge=0.0, le=1.0, description='Factor on the wake rate without a network.'
    )
    spent_factor: float = Field(
        0.05, ge=0.0, le=1.0, description="Factor on the wake rate when the day's energy is spent."
    )

    # --- rest -----------------------------------------------------------------------------
    longest_rest_minutes: float = Field(
        240.0,
        ge=1.0,
        le=LONGEST_REST_MINUTES,
        description='Longest rest she can choose or be given, min.',
    )
    rest_damping: float = Field(
        0.1, ge=0.0, le=1.0, description='Factor on the wake rate while she rests.'
    )
    rest_share: float = Field(
        0.1,
        ge=0.0,
        le=10.0,
        description='After a rest she wakes within about this share of it (at least 1 min).',
    )

    # --- what wakes her at once -----------------------------------------------------------
    heavy_event: float = Field(
        0.5, ge=0.0, le=1.0, description='Sense events of at least this weight wake her.'
    )
    surprise_at: float = Field(
        0.25, ge=0.0, le=1.0, description='Surprises between two ticks of at least this wake her.'
    )
    refractory_seconds: float = Field(
        30.0,
        ge=0.0,
        le=3600.0,
        description='After an event the same kind neither nudges nor wakes for so long, s; '
        'doubling while it goes on.',
    )
    refractory_longest: float = Field(
        3600.0,
        ge=0.0,
        le=86400.0,
        description='Longest refractory time of a kind that goes on, s.',
    )
    resend_seconds: float = Field(
        2.0,
        ge=0.1,
        le=60.0,
        description='A wake that is not begun is sent again after this, s; doubling up to 60 s.',
    )
    state_seconds: float = Field(
        60.0,
        ge=1.0,
        le=3600.0,
        description='Her state is told at least this often, s: drives rise without any event.',
    )

    # --- cadence: chosen ------------------------------------------------------------------
    chosen_default: float = Field(
        15.0, ge=0.1, le=1440.0, description='Chosen: sleep if she does not say how long, min.'
    )
    chosen_floor: float = Field(5.0, ge=0.1, le=1440.0, description='Chosen: shortest sleep, min.')
    chosen_ceiling_day: float = Field(
        30.0, ge=0.1, le=1440.0, description='Chosen: longest sleep by day, min.'
    )
    chosen_ceiling_night: float = Field(
        90.0, ge=0.1, le=1440.0, description='Chosen: longest sleep at night, min.'
    )
    chosen_night_from: float = Field(
        0.0, ge=0.0, le=24.0, description='Chosen: local hour at which the night begins.'
    )
    chosen_night_until: float = Field(
        7.0, ge=0.0, le=24.0, description='Chosen: local hour at which the night ends.'
    )
    chosen_hungry_floor: float = Field(
        60.0, ge=0.1, le=1440.0, description='Chosen: shortest sleep when energy is spent, min.'
    )
    chosen_hungry_ceiling: float = Field(
        90.0, ge=0.1, le=1440.0, description='Chosen: longest sleep when energy is spent, min.'
    )

    # --- cadence: adaptive ----------------------------------------------------------------
    adaptive_base: float = Field(
        120.0, ge=1.0, le=86400.0, description='Adaptive: interval before energy and arousal, s.'
    )
    adaptive_min: float = Field(
        20.0, ge=1.0, le=86400.0, description='Adaptive: shortest interval, s.'
    )
    adaptive_max: float = Field(
        1800.0, ge=1.0, le=86400.0, description='Adaptive: longest interval, s.'
    )
    adaptive_pace: float = Field(
        0.0,
        ge=0.0,
        le=86400.0,
        description='Adaptive: a pace in place of the base that arousal does not quicken, s; '
        '0: none.',
    )

    @field_validator('timezone')
    @classmethod
    def _zone(cls, name: str) -> str:
        if name:
            try:
                ZoneInfo(name)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                raise ValueError(
                    'no time zone of that name is known here; names are like Europe/Berlin, '
                    'and the package tzdata has them all'
                ) from None
        return name

    @field_validator('boredom_thresholds')
    @classmethod
    def _rising(cls, thresholds: tuple[float, ...]) -> tuple[float, ...]:
        if len(thresholds) != 3 or not 0.0 < thresholds[0] < thresholds[1] < thresholds[2]:
            raise ValueError('three rising numbers above 0')
        return thresholds

    @model_validator(mode='after')
    def _ordered(self) -> HeartConfig:
        pairs = (
            ('chosen_floor', 'chosen_ceiling_day'),
            ('chosen_floor', 'chosen_ceiling_night'),
            ('chosen_hungry_floor', 'chosen_hungry_ceiling'),
            ('adaptive_min', 'adaptive_max'),
        )
        for low, high in pairs:
            if getattr(self, low) > getattr(self, high):
                raise ValueError(
                    f'{low} is {getattr(self, low):g}, more than {high}, '
                    f'which is {getattr(self, high):g}'
                )
        return self

    def zone(self) -> ZoneInfo | None:
        """Zone of her body clock; None: the host's."""
        return ZoneInfo(self.timezone) if self.timezone else None
