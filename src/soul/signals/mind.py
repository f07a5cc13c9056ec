"""Her turns and what the mind is doing.

Units and meanings stand beside the fields as in the soul_msgs interfaces of the same names.
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
    args_digest: Name = ''  # of the arguments: equal for equal calls
    reply_digest: Name = ''  # of the normalised reply
    routine: bool = False  # a routine act does not discharge boredom
    ok: bool = False
    error: Line = ''  # why not
    act_id: Name = ''  # the guard's act, for outward acts
    receipt: Line = ''  # proof that it happened; empty: it counts for nothing
    duration: Seconds = 0.0  # s


@dataclass(frozen=True, slots=True)
class Turn:
    """One waking, as it ended."""

    stamp: Moment = 0.0  # s since 1970; node clock
    epoch: Number = 0  # of the mind; with sequence the turn's identity
    sequence: Number = 0
    wake: WakeId = WakeId()
    session: Name = ''  # empty: her own stream of consciousness
    causes: Kinds = ()  # as in Wake
    calls: Annotated[tuple[Call, ...], Most(1000)] = ()
    messages_seen: Ids = ()  # messages dealt with; whatever is missing knocks again
    # those of them that got a final reply; who missed it learns it here
    messages_answered: Ids = ()
    declined: bool = False  # she looked and went back to sleep at once
    talk: bool = False  # it was a conversation
    steps: Count = 0  # model calls
    tokens_in: Tokens = 0
    tokens_cached: Tokens = 0  # part of tokens_in served from the provider's cache
    tokens_out: Tokens = 0
    cost: Cost = 0.0  # USD
    duration: Seconds = 0.0  # s
    stages: Annotated[tuple[NamedValue, ...], Most(100)] = ()  # s spent thinking, and in each tool
    outcome: Kind = ''  # one of the constants
    detail: Line = ''  # why it was cut or failed
    rest: Seconds = 0.0  # s; how long she wants to rest; zero: she did not say
    drives: Annotated[tuple[NamedValue, ...], Most(100)] = ()  # drive levels she sets herself
    reply_digest: Name = ''  # of what she said in the end, normalised


@dataclass(frozen=True, slots=True)
class SessionState:
    """A conversation or stream in progress."""

    session: Name = ''
    stage: Name = ''  # THINKING or a tool
    elapsed: Seconds = 0.0  # s; since the turn began
    message_ids: Ids = ()  # messages it deals with: they need not knock


@dataclass(frozen=True, slots=True)
class MindState:
    """What the mind is doing. Latched."""

    stamp: Moment = 0.0  # s since 1970; node clock
    epoch: Number = 0  # of the mind
    phase: Kind = ''  # one of the constants
    begun: WakeId = WakeId()  # newest wake whose turn has begun
    sessions: Annotated[tuple[SessionState, ...], Most(1000)] = ()  # turns in progress
    model_available: bool = False
    model: Line = ''  # backend and model name
    trouble: Line = ''  # why she cannot think, or not well, and what to do; empty: nothing
    open_loops: Count = 0  # matters she keeps in mind
    # ever used; those from the provider's cache count a tenth
    tokens: Annotated[int, Within(0, 10**15, REFUSE)] = 0
    cost: Annotated[float, Within(0.0, 1e9, REFUSE)] = 0.0  # USD ever spent
    cost_known: bool = False  # false: a model she thinks with has no prices
    wakings: Annotated[int, Within(0, 10**9, REFUSE)] = 0  # turns ever ended
    last_turn: Turn = Turn()


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model, as it ended; also one that failed and was followed by another."""

    stamp: Moment = 0.0  # s since 1970; node clock, when it was sent
    session: Name = ''  # empty: her own stream of consciousness
    purpose: Kind = ''  # waking, summary, dream or warm_up
    provider: Name = ''
    model: Name = ''
    key: Name = ''  # name of the key, never the key; empty: none
    duration: Seconds = 0.0  # s
    status: Annotated[int, Within(0, 999)] = 0  # HTTP status of the server; 0: none came
    failure: Line = ''  # why there was no answer; empty: there was one
    tokens_in: Tokens = 0
    tokens_cached: Tokens = 0  # part of tokens_in served from the provider's cache
    tokens_written: Tokens = 0  # part of tokens_in written into the provider's cache
    tokens_out: Tokens = 0
    cost: Cost = 0.0  # USD
    cost_known: bool = False  # false: the model has no prices, and cost is zero


@dataclass(frozen=True, slots=True)
class Thought:
    """What she thinks, as it comes."""

    stamp: Moment = 0.0  # s since 1970; node clock
    session: Name = ''
    kind: Kind = ''  # one of the constants
    text: Text = ''
