"""Drives, sleep and wakes.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from soul.signals.body import SenseEvent


class WakeCause:
    """Causes of a :class:`Wake`."""

    SPONTANEOUS = 'spontaneous'
    CHOSEN = 'chosen'
    MESSAGE = 'message'
    SENSE = 'sense'
    SURPRISE = 'surprise'
    DREAM = 'dream'
    OPERATOR = 'operator'


@dataclass(frozen=True, slots=True)
class WakeId:
    """Which wake; the sequence restarts with a new epoch, when the heart has lost its state."""

    epoch: int = 0
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Drive:
    """One pressure that builds up in her."""

    name: str = ''
    level: float = 0.0
    sensation: str = ''


@dataclass(frozen=True, slots=True)
class HeartState:
    """When and why she wakes. Latched."""

    stamp: float = 0.0
    epoch: int = 0
    drives: tuple[Drive, ...] = ()
    mean_drive: float = 0.0
    sleep_pressure: float = 0.0
    circadian: float = 0.0
    alertness: float = 0.0
    asleep: bool = False
    rate_per_hour: float = 0.0
    inhibition: float = 0.0
    inhibited_by: tuple[str, ...] = ()
    rest_until: float = 0.0
    wake_open: bool = False
    open_wake: WakeId = WakeId()
    last_wake: WakeId = WakeId()
    unconsolidated: float = 0.0


@dataclass(frozen=True, slots=True)
class Wake:
    """She wakes now. Sent again until the mind has begun it: be idempotent on id."""

    stamp: float = 0.0
    id: WakeId = WakeId()
    causes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()
    events: tuple[SenseEvent, ...] = ()
    rate_per_hour: float = 0.0
    since_last: float = math.nan


def newer(a: WakeId, b: WakeId) -> bool:
    """Tell whether `a` is another and not an older wake than `b`."""
    return a.epoch != b.epoch or a.sequence > b.sequence
