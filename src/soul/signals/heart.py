"""Drives, sleep and wakes.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from soul.signals.body import SenseEvent
from soul.signals.limits import (
    Amount,
    Ids,
    Kind,
    Kinds,
    Line,
    Moment,
    Most,
    Name,
    Number,
    Rate,
    Seconds,
    Share,
    Within,
)


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

    epoch: Number = 0
    sequence: Number = 0


@dataclass(frozen=True, slots=True)
class Drive:
    """One pressure that builds up in her."""

    name: Name = ''
    level: Amount = 0.0
    sensation: Line = ''


@dataclass(frozen=True, slots=True)
class HeartState:
    """When and why she wakes. Latched."""

    stamp: Moment = 0.0
    epoch: Number = 0
    drives: Annotated[tuple[Drive, ...], Most(100)] = ()
    mean_drive: Share = 0.0
    sleep_pressure: Share = 0.0
    circadian: Annotated[float, Within(-1.0, 2.0)] = 0.0
    alertness: Share = 0.0
    asleep: bool = False
    rate_per_hour: Rate = 0.0
    inhibition: Rate = 0.0
    inhibited_by: Annotated[tuple[Kind, ...], Most(100)] = ()
    rest_until: Moment = 0.0
    wake_open: bool = False
    open_wake: WakeId = WakeId()
    last_wake: WakeId = WakeId()
    unconsolidated: Amount = 0.0


@dataclass(frozen=True, slots=True)
class Wake:
    """She wakes now. Sent again until the mind has begun it: be idempotent on id."""

    stamp: Moment = 0.0
    id: WakeId = WakeId()
    causes: Kinds = ()
    reasons: Annotated[tuple[Line, ...], Most(100)] = ()
    message_ids: Ids = ()
    events: Annotated[tuple[SenseEvent, ...], Most(100)] = ()
    rate_per_hour: Rate = 0.0
    since_last: Seconds = 0.0


def newer(a: WakeId, b: WakeId) -> bool:
    """Tell whether `a` is another and not an older wake than `b`."""
    return a.epoch != b.epoch or a.sequence > b.sequence
