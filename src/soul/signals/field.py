"""What she perceives and sees.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from soul.signals.door import Message
from soul.signals.heart import WakeId
from soul.signals.limits import (
    Amount,
    Count,
    Ids,
    Kind,
    Kinds,
    Line,
    Long,
    Moment,
    Most,
    Name,
    NeededName,
    Number,
    Relatedness,
    Share,
    Sway,
    Text,
    Within,
)


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

    name: Name = ''
    value: Amount = 0.0


@dataclass(frozen=True, slots=True)
class Percept:
    """Something any node lets her perceive."""

    stamp: Moment = 0.0
    key: NeededName = ''
    kind: Name = ''
    source: NeededName = ''
    text: Text = ''
    gist: Line = ''
    salience: Share = 0.0
    valence: Sway = 0.0
    features: Annotated[tuple[NamedValue, ...], Most(1000)] = ()
    events: Ids = ()
    resolve: Ids = ()
    clear: Ids = ()


@dataclass(frozen=True, slots=True)
class ViewItem:
    """One thing in her field."""

    id: Name = ''
    key: Name = ''
    kind: Name = ''
    source: Name = ''
    text: Text = ''
    salience: Share = 0.0
    valence: Sway = 0.0
    relatedness: Relatedness = math.nan
    held: bool = False
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """What she sees now. Latched; a latched view alone never begins a turn."""

    stamp: Moment = 0.0
    wake: WakeId = WakeId()
    tick: Number = 0
    render: Count = 0
    text: Long = ''
    focus_id: Name = ''
    focus_key: Name = ''
    focus: Long = ''
    close: Annotated[tuple[ViewItem, ...], Most(10_000)] = ()
    around: Annotated[tuple[ViewItem, ...], Most(1000)] = ()
    edge: Annotated[tuple[ViewItem, ...], Most(1000)] = ()
    alerts: Annotated[tuple[Line, ...], Most(1000)] = ()
    mood: Name = ''
    because: Line = ''
    valence: Sway = 0.0
    arousal: Share = 0.0
    fullness: Annotated[float, Within(0.0, 1e6)] = 0.0
    message_ids: Ids = ()
    messages: Annotated[tuple[Message, ...], Most(10_000)] = ()
    readings: Annotated[tuple[NamedValue, ...], Most(1000)] = ()
    causes: Kinds = ()


@dataclass(frozen=True, slots=True)
class FieldEvent:
    """Something happened in her field."""

    stamp: Moment = 0.0
    kind: Kind = ''
    item_id: Name = ''
    text: Line = ''
    magnitude: Amount = 0.0
    between_ticks: bool = False
