"""What reaches her: what a channel senses at one moment."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ItemUpdate:
    """Something that enters her field, or refreshes what is there under the same key."""

    key: str
    kind: str
    source: str
    text: str
    gist: str = ''  # empty: from the text
    trace: str = ''  # empty: from the kind
    salience: float = 0.5  # 0..1
    valence: float = 0.0  # -1..1
    #: A standing reading: salience and valence follow it. Otherwise it is a happening, which
    #: arrives once, may take her focus, and only gets louder when it changes.
    level: bool = False
    anchor: bool = False  # never fades
    own: bool = False  # her own acting brought it
    new: bool = False  # a message nobody has dealt with
    marked: bool = False  # it tried to look like her field
    growth: float | None = None  # tension an hour while unresolved; None: that of its kind


@dataclass(slots=True)
class ChannelReading:
    """What one channel brings at one moment."""

    channel: str
    features: dict[str, float] = field(default_factory=dict)  # predicted
    updates: list[ItemUpdate] = field(default_factory=list)
    resolve: list[str] = field(default_factory=list)  # keys of what was dealt with
    clear: list[str] = field(default_factory=list)  # keys of what simply stopped
    events: list[str] = field(default_factory=list)  # what happened, for her expectations


@dataclass(frozen=True, slots=True)
class Moment:
    """What a channel may know of the field when it is asked what it senses."""

    now: float  # s of the node's clock
    gap: float | None  # s since the last tick; None: this is the first
    tick: int
    dwell: int  # ticks on one focus
    focus: str  # what she looks at, in short
    waiting: int  # messages and tasks that wait


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Something that happened in her field; `kind` as in FieldEvent."""

    kind: str
    text: str
    item: str = ''
    magnitude: float = 0.0


def within(value: float, low: float, high: float) -> float:
    """Bring a number from outside into its range; what is no number is 0."""
    if low <= value <= high:
        return value
    return min(high, max(low, value)) if math.isfinite(value) else 0.0
