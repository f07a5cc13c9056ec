"""Permission, energy and the fate of outward acts.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass

from soul.signals.common import Picture


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

    stamp: float = 0.0
    level: float = 0.0
    tokens_used: int = 0
    tokens_limit: int = 0
    cost_used: float = 0.0
    cost_limit: float = 0.0
    wakes_used: int = 0
    wakes_limit: int = 0
    spent: bool = False
    reserve_spent: bool = False
    resets_at: float = 0.0
    reserve: float = 0.0
    counted_tokens: int = 0
    counted_cost: float = 0.0
    counted_wakings: int = 0


@dataclass(frozen=True, slots=True)
class Act:
    """One outward act and how far it got."""

    stamp: float = 0.0
    id: str = ''
    what: str = ''
    by: str = ''
    session: str = ''
    state: str = ''
    text: str = ''
    detail: str = ''
    receipt: str = ''
    images: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Approval:
    """A question waiting for a person."""

    id: str = ''
    category: str = ''
    what: str = ''
    by: str = ''
    asked: float = 0.0
    expires: float = 0.0


@dataclass(frozen=True, slots=True)
class GuardState:
    """Whether she may act. Latched."""

    stamp: float = 0.0
    epoch: int = 0
    stopped: bool = False
    stop_epoch: int = 0
    stop_reason: str = ''
    paused: bool = False
    safe_mode: bool = False
    pending: tuple[Approval, ...] = ()
    recent: tuple[Act, ...] = ()
