"""What holds her wakes down; the factors multiply (Heart and Twin)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from soul.heart.config import HeartConfig
from soul.signals import NO, YES, BodyState, Energy, GuardState, MindState


def factors(
    config: HeartConfig,
    body: BodyState | None,
    energy: Energy | None,
    guard: GuardState | None,
    mind: MindState | None,
) -> Mapping[str, float]:
    """Return the factors that hold now, by name; what is not known does not inhibit.

    An exception is the mind: without it no wake can be lived.
    """
    found: dict[str, float] = {}
    if guard is not None and guard.stopped:
        found['stopped'] = 0.0
    if guard is not None and guard.paused:
        found['paused'] = 0.0
    if mind is None or not mind.model_available:
        found['no_model'] = 0.0
    if body is not None:
        if body.temperature >= config.hot_celsius:  # NaN is never above or below
            found['hot'] = config.hot_factor
        if body.charge < config.low_charge and body.charging != YES:
            found['low_battery'] = config.low_battery_factor
        if body.online == NO:
            found['offline'] = config.offline_factor
    if energy is not None and energy.spent:
        found['budget_spent'] = config.spent_factor
    return found


def total(found: Mapping[str, float], activity: float) -> float:
    """Product of the factors and the activity knob, >= 0."""
    return math.prod(found.values()) * activity
