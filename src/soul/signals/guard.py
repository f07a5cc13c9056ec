"""Permission, energy and the fate of outward acts.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from soul.signals.common import Picture
from soul.signals.limits import (
    Cost,
    Count,
    Kind,
    Line,
    Moment,
    Most,
    Name,
    Number,
    Share,
    Text,
    Tokens,
)


class ActState:
    """How far an :class:`Act` got."""

    INTENDED = 'intended'
    PENDING = 'pending'
    EXECUTING = 'executing'
    DONE = 'done'
    FAILED = 'failed'
    UNCERTAIN = 'uncertain'
    DENIED = 'denied'
    EXPIRED = 'expired'


@dataclass(frozen=True, slots=True)
class Energy:
    """What she may still spend until the reset. Latched."""

    stamp: Moment = 0.0
    level: Share = 0.0
    tokens_used: Tokens = 0
    tokens_limit: Tokens = 0
    cost_used: Cost = 0.0
    cost_limit: Cost = 0.0
    wakes_used: Count = 0
    wakes_limit: Count = 0
    spent: bool = False
    reserve_spent: bool = False
    resets_at: Moment = 0.0
    reserve: Share = 0.0
    counted_tokens: Tokens = 0
    counted_cost: Cost = 0.0
    counted_wakings: Count = 0


@dataclass(frozen=True, slots=True)
class Act:
    """One outward act and how far it got."""

    stamp: Moment = 0.0
    id: Name = ''
    what: Line = ''
    by: Name = ''
    session: Name = ''
    state: Kind = ''
    text: Text = ''
    detail: Text = ''
    receipt: Line = ''
    images: Annotated[tuple[Picture, ...], Most(4)] = ()


@dataclass(frozen=True, slots=True)
class Approval:
    """A question waiting for a person."""

    id: Name = ''
    category: Name = ''
    what: Line = ''
    by: Name = ''
    asked: Moment = 0.0
    expires: Moment = 0.0


@dataclass(frozen=True, slots=True)
class GuardState:
    """Whether she may act. Latched."""

    stamp: Moment = 0.0
    epoch: Number = 0
    stopped: bool = False
    stop_epoch: Number = 0
    stop_reason: Line = ''
    paused: bool = False
    safe_mode: bool = False
    pending: Annotated[tuple[Approval, ...], Most(1000)] = ()
    recent: Annotated[tuple[Act, ...], Most(100)] = ()
