"""Her turns and what the mind is doing.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from soul.signals.field import NamedValue
from soul.signals.heart import WakeId
from soul.signals.limits import (
    REFUSE,
    Cost,
    Count,
    Ids,
    Kind,
    Kinds,
    Line,
    Moment,
    Most,
    Name,
    Number,
    Seconds,
    Text,
    Tokens,
    Within,
)


class Outcome:
    """How a :class:`Turn` ended."""

    SLEPT = 'slept'
    CUT = 'cut'
    FAILED = 'failed'
    STOPPED = 'stopped'


class Phase:
    """Phases of :class:`MindState`."""

    INACTIVE = 'inactive'
    IDLE = 'idle'
    WAKING = 'waking'
    DREAMING = 'dreaming'
    STOPPED = 'stopped'


class ThoughtKind:
    """Kinds of :class:`Thought`."""

    TEXT = 'text'
    REASONING = 'reasoning'
    TOOL = 'tool'


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a turn."""

    name: Kind = ''
    args_digest: Name = ''
    reply_digest: Name = ''
    routine: bool = False
    ok: bool = False
    error: Line = ''
    act_id: Name = ''
    receipt: Line = ''
    duration: Seconds = 0.0


@dataclass(frozen=True, slots=True)
class Turn:
    """One waking, as it ended."""

    stamp: Moment = 0.0
    epoch: Number = 0
    sequence: Number = 0
    wake: WakeId = WakeId()
    session: Name = ''
    causes: Kinds = ()
    calls: Annotated[tuple[Call, ...], Most(1000)] = ()
    messages_seen: Ids = ()
    messages_answered: Ids = ()
    declined: bool = False
    talk: bool = False
    steps: Count = 0
    tokens_in: Tokens = 0
    tokens_cached: Tokens = 0
    tokens_out: Tokens = 0
    cost: Cost = 0.0
    duration: Seconds = 0.0
    stages: Annotated[tuple[NamedValue, ...], Most(100)] = ()
    outcome: Kind = ''
    detail: Line = ''
    rest: Seconds = 0.0
    drives: Annotated[tuple[NamedValue, ...], Most(100)] = ()
    reply_digest: Name = ''


@dataclass(frozen=True, slots=True)
class SessionState:
    """A conversation or stream in progress."""

    session: Name = ''
    stage: Name = ''
    elapsed: Seconds = 0.0
    message_ids: Ids = ()


@dataclass(frozen=True, slots=True)
class MindState:
    """What the mind is doing. Latched."""

    stamp: Moment = 0.0
    epoch: Number = 0
    phase: Kind = ''
    begun: WakeId = WakeId()
    sessions: Annotated[tuple[SessionState, ...], Most(1000)] = ()
    model_available: bool = False
    model: Line = ''
    trouble: Line = ''
    open_loops: Count = 0
    tokens: Annotated[int, Within(0, 10**15, REFUSE)] = 0
    cost: Annotated[float, Within(0.0, 1e9, REFUSE)] = 0.0
    wakings: Annotated[int, Within(0, 10**9, REFUSE)] = 0
    last_turn: Turn = Turn()


@dataclass(frozen=True, slots=True)
class Thought:
    """What she thinks, as it comes."""

    stamp: Moment = 0.0
    session: Name = ''
    kind: Kind = ''
    text: Text = ''
