"""Her turns and what the mind is doing.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass

from soul.signals.field import NamedValue
from soul.signals.heart import WakeId


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

    name: str = ''
    args_digest: str = ''
    reply_digest: str = ''
    routine: bool = False
    ok: bool = False
    error: str = ''
    act_id: str = ''
    receipt: str = ''
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Turn:
    """One waking, as it ended."""

    stamp: float = 0.0
    epoch: int = 0
    sequence: int = 0
    wake: WakeId = WakeId()
    session: str = ''
    causes: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    messages_seen: tuple[str, ...] = ()
    messages_answered: tuple[str, ...] = ()
    declined: bool = False
    talk: bool = False
    steps: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    stages: tuple[NamedValue, ...] = ()
    outcome: str = ''
    detail: str = ''
    rest_requested: bool = False
    rest_minutes: float = 0.0
    drives: tuple[NamedValue, ...] = ()
    reply_digest: str = ''


@dataclass(frozen=True, slots=True)
class SessionState:
    """A conversation or stream in progress."""

    session: str = ''
    stage: str = ''
    seconds: float = 0.0
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MindState:
    """What the mind is doing. Latched."""

    stamp: float = 0.0
    epoch: int = 0
    phase: str = ''
    begun: WakeId = WakeId()
    sessions: tuple[SessionState, ...] = ()
    model_available: bool = False
    model: str = ''
    trouble: str = ''
    open_loops: int = 0
    tokens: int = 0
    cost: float = 0.0
    wakings: int = 0
    last_turn: Turn = Turn()


@dataclass(frozen=True, slots=True)
class Thought:
    """What she thinks, as it comes."""

    stamp: float = 0.0
    session: str = ''
    kind: str = ''
    text: str = ''
