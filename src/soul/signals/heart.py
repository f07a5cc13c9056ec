"""Drives, sleep and wakes.

Units and meanings stand beside the fields as in the soul_msgs interfaces of the same names.
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
    sequence: Number = 0  # counts up within the epoch; 0 = none


@dataclass(frozen=True, slots=True)
class Drive:
    """One pressure that builds up in her."""

    name: Name = ''  # as in config/drives.yaml
    level: Amount = 0.0  # 0..1 for drives of the mean; boredom counts wakings
    sensation: Line = ''  # how it feels, in her language; empty while it is not felt


@dataclass(frozen=True, slots=True)
class HeartState:
    """When and why she wakes. Latched."""

    stamp: Moment = 0.0  # s since 1970; node clock
    epoch: Number = 0  # changes when the heart has lost its state
    drives: Annotated[tuple[Drive, ...], Most(100)] = ()
    mean_drive: Share = 0.0  # weighted mean of the drives that raise the rate, 0..1
    sleep_pressure: Share = 0.0  # process S, 0..1
    circadian: Annotated[float, Within(-1.0, 2.0)] = 0.0  # process C, 0..1
    alertness: Share = 0.0  # clamp(0.5 + C - S, 0, 1)
    asleep: bool = False
    rate_per_hour: Rate = 0.0  # the momentary wake rate, 1/h
    inhibition: Rate = 0.0  # product of the factors below and the activity knob, >= 0
    # names of the factors that are not 1
    inhibited_by: Annotated[tuple[Kind, ...], Most(100)] = ()
    rest_until: Moment = 0.0  # s since 1970; end of a rest she asked for or was given; zero: none
    wake_open: bool = False  # a wake has been sent and is not begun yet
    open_wake: WakeId = WakeId()  # which one
    last_wake: WakeId = WakeId()  # the newest wake of all
    unconsolidated: Amount = 0.0  # wakings and talks since the last dream


@dataclass(frozen=True, slots=True)
class Wake:
    """She wakes now. Sent again until the mind has begun it: be idempotent on id."""

    stamp: Moment = 0.0  # s since 1970; node clock
    id: WakeId = WakeId()
    causes: Kinds = ()  # one or more of the constants
    reasons: Annotated[tuple[Line, ...], Most(100)] = ()  # in words, for her
    message_ids: Ids = ()  # messages that knocked
    events: Annotated[tuple[SenseEvent, ...], Most(100)] = ()  # sense events that woke her
    rate_per_hour: Rate = 0.0  # the rate at this moment, 1/h
    since_last: Seconds = 0.0  # s; since the wake before; zero for the first


def newer(a: WakeId, b: WakeId) -> bool:
    """Tell whether `a` is another and not an older wake than `b`."""
    return a.epoch != b.epoch or a.sequence > b.sequence
