"""What she perceives and sees.

Units and meanings stand beside the fields as in the soul_msgs interfaces of the same names.
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
    value: Amount = 0.0  # in the unit that the name implies; see who publishes it


@dataclass(frozen=True, slots=True)
class Percept:
    """Something any node lets her perceive."""

    stamp: Moment = 0.0  # s since 1970; node clock
    key: NeededName = ''  # the same key again updates the item instead of adding one
    kind: Name = ''  # message, task, work, plan, seen, note, surprise, ...
    source: NeededName = ''  # who perceives: a node or tool
    text: Text = ''  # in full
    gist: Line = ''  # short; empty: derived from text
    salience: Share = 0.0  # 0..1, how loud
    valence: Sway = 0.0  # -1..1, below 0 tension, above 0 warmth
    # measured numbers: predicted, and surprising when the prediction fails
    features: Annotated[tuple[NamedValue, ...], Most(1000)] = ()
    events: Ids = ()  # what happened, as names her expectations can meet
    resolve: Ids = ()  # keys of items that have been dealt with
    clear: Ids = ()  # keys of items that simply stopped


@dataclass(frozen=True, slots=True)
class ViewItem:
    """One thing in her field."""

    id: Name = ''  # short handle she can act on; empty at the edge
    key: Name = ''  # what it stands for: a message's id, a percept's key
    kind: Name = ''
    source: Name = ''
    text: Text = ''  # as she sees it: full, gist or trace
    salience: Share = 0.0  # 0..1
    valence: Sway = 0.0  # -1..1
    relatedness: Relatedness = math.nan  # to the focus, -1..1; NaN without a focus
    held: bool = False
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """What she sees now. Latched; a latched view alone never begins a turn."""

    stamp: Moment = 0.0  # s since 1970; node clock
    wake: WakeId = WakeId()  # the wake this tick belongs to
    tick: Number = 0  # full ticks so far
    render: Count = 0  # renders within the tick, 0 = the tick's own
    text: Long = ''  # the view as she reads it
    focus_id: Name = ''  # id of the item in focus; empty: a topic or nothing
    focus_key: Name = ''  # what it stands for: a message's id, a percept's key
    focus: Long = ''  # what she looks at, in words; empty: her gaze wanders
    close: Annotated[tuple[ViewItem, ...], Most(10_000)] = ()
    around: Annotated[tuple[ViewItem, ...], Most(1000)] = ()
    edge: Annotated[tuple[ViewItem, ...], Most(1000)] = ()
    alerts: Annotated[tuple[Line, ...], Most(1000)] = ()  # broken predictions, in words
    mood: Name = ''  # one word
    because: Line = ''  # where the mood comes from, in words
    valence: Sway = 0.0  # -1..1
    arousal: Share = 0.0  # 0..1
    # of the field's capacity, 0..1 (above 1 only by what may not be dropped)
    fullness: Annotated[float, Within(0.0, 1e6)] = 0.0
    message_ids: Ids = ()  # messages she sees and has not answered
    messages: Annotated[tuple[Message, ...], Most(10_000)] = ()  # the same, whole
    # what the channels measured in this tick
    readings: Annotated[tuple[NamedValue, ...], Most(1000)] = ()
    causes: Kinds = ()  # the wake's causes


@dataclass(frozen=True, slots=True)
class FieldEvent:
    """Something happened in her field."""

    stamp: Moment = 0.0  # s since 1970; node clock
    kind: Kind = ''  # one of the constants
    item_id: Name = ''
    text: Line = ''
    magnitude: Amount = 0.0  # 0..1
    # true: it did not come from the wake's own tick, so it may wake her
    between_ticks: bool = False
