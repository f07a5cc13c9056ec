"""What she perceives and sees.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from soul.signals.door import Message
from soul.signals.heart import WakeId


class FieldEventKind:
    """Kinds of :class:`FieldEvent`."""

    CAPTURED = 'captured'
    SURPRISED = 'surprised'
    SLIPPED = 'slipped'
    EXPECTED = 'expected'
    BROKEN = 'broken'


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name and a number."""

    name: str = ''
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Percept:
    """Something any node lets her perceive."""

    stamp: float = 0.0
    key: str = ''
    kind: str = ''
    source: str = ''
    text: str = ''
    gist: str = ''
    salience: float = 0.0
    valence: float = 0.0
    features: tuple[NamedValue, ...] = ()
    events: tuple[str, ...] = ()
    resolve: tuple[str, ...] = ()
    clear: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewItem:
    """One thing in her field."""

    id: str = ''
    key: str = ''
    kind: str = ''
    source: str = ''
    text: str = ''
    salience: float = 0.0
    valence: float = 0.0
    relatedness: float = math.nan
    held: bool = False
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """What she sees now. Latched; a latched view alone never begins a turn."""

    stamp: float = 0.0
    wake: WakeId = WakeId()
    tick: int = 0
    render: int = 0
    text: str = ''
    focus_id: str = ''
    focus_key: str = ''
    focus: str = ''
    close: tuple[ViewItem, ...] = ()
    around: tuple[ViewItem, ...] = ()
    edge: tuple[ViewItem, ...] = ()
    alerts: tuple[str, ...] = ()
    mood: str = ''
    because: str = ''
    valence: float = 0.0
    arousal: float = 0.0
    fullness: float = 0.0
    message_ids: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    readings: tuple[NamedValue, ...] = ()
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldEvent:
    """Something happened in her field."""

    stamp: float = 0.0
    kind: str = ''
    item_id: str = ''
    text: str = ''
    magnitude: float = 0.0
    between_ticks: bool = False
