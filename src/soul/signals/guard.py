"""Permission, energy and the fate of outward acts.

Units and meanings stand beside the fields as in the soul_msgs interfaces of the same names.
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

    stamp: Moment = 0.0  # s since 1970; node clock
    level: Share = 0.0  # 0..1: the scarcest of the three
    tokens_used: Tokens = 0  # of the day; those from the provider's cache count a tenth
    tokens_limit: Tokens = 0  # 0: no cap
    cost_used: Cost = 0.0  # USD
    cost_limit: Cost = 0.0  # USD; 0: no cap
    wakes_used: Count = 0  # of the day
    wakes_limit: Count = 0  # 0: no cap
    spent: bool = False  # nothing left but the reserve for her people
    reserve_spent: bool = False  # nothing left at all
    resets_at: Moment = 0.0  # s since 1970; when the next day begins
    month_cost_used: Cost = 0.0  # USD, of the month
    month_cost_limit: Cost = 0.0  # USD; 0: no cap
    reserve: Share = 0.0  # 0..1: part of each limit that is kept for her people
    counted_tokens: Tokens = 0  # up to which MindState.tokens it has counted
    counted_cost: Cost = 0.0  # USD; as counted_tokens
    counted_wakings: Count = 0  # as counted_tokens


@dataclass(frozen=True, slots=True)
class Act:
    """One outward act and how far it got."""

    stamp: Moment = 0.0  # s since 1970; node clock
    id: Name = ''  # unique for ever
    what: Line = ''  # the tool or service: speak, look, sleep, a tool of hers
    by: Name = ''  # who asked: mind, a client, an operator
    session: Name = ''
    state: Kind = ''  # one of the constants
    text: Text = ''  # what was to be said or asked
    detail: Text = ''  # how it went, or why not
    receipt: Line = ''  # proof that it happened; only in state done
    images: Annotated[tuple[Picture, ...], Most(4)] = ()  # what was seen, at most one


@dataclass(frozen=True, slots=True)
class Approval:
    """A question waiting for a person."""

    id: Name = ''
    category: Name = ''
    what: Line = ''
    by: Name = ''
    asked: Moment = 0.0  # s since 1970
    expires: Moment = 0.0  # s since 1970


@dataclass(frozen=True, slots=True)
class GuardState:
    """Whether she may act. Latched."""

    stamp: Moment = 0.0  # s since 1970; node clock
    epoch: Number = 0  # of the guard's process: a new guard voids what the old one said
    stopped: bool = False
    stop_epoch: Number = 0  # counts stops
    stop_reason: Line = ''
    paused: bool = False
    safe_mode: bool = False  # too many restarts in a short time: nothing outward
    pending: Annotated[tuple[Approval, ...], Most(1000)] = ()
    recent: Annotated[tuple[Act, ...], Most(100)] = ()  # newest last
