"""What holds her wakes down; the factors multiply."""

from __future__ import annotations

import math
from collections.abc import Mapping

from soul.signals import NO, YES, BodyState, Energy, GuardState, MindState

HOT_CELSIUS = 45.0
LOW_CHARGE = 0.15


def factors(
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
        if body.temperature >= HOT_CELSIUS:
            found['hot'] = 0.1
        if body.charge < LOW_CHARGE and body.charging != YES:
            found['low_battery'] = 0.2
        if body.online == NO:
            found['offline'] = 0.5
    if energy is not None and energy.spent:
        found['budget_spent'] = 0.05
    return found


def total(found: Mapping[str, float], activity: float) -> float:
    """Product of the factors and the activity knob."""
    return math.prod(found.values()) * activity
