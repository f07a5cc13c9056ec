"""What happened in her field, as events and for the journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from soul.core.organ import Record
from soul.field.readings import Occurrence
from soul.signals import FieldEvent, FieldEventKind

JOURNAL = 'events'
#: Of one kind so many are told one by one, the others together.
MOST_TOLD = 20
#: What may wake her when it happens between two ticks.
STARTLING = frozenset({FieldEventKind.SURPRISED, FieldEventKind.BROKEN})


def entry(kind: str, tick: int, now: float, **more: Any) -> Record:
    """Make an entry of the journal."""
    return Record(JOURNAL, {'kind': kind, 'at': now, 'tick': tick, **more}, durable=False)


def field_events(
    happened: Iterable[Occurrence], tick: int, now: float, between: bool
) -> Iterator[Any]:
    """Tell what happened.

    Parameters
    ----------
    between
        Whether it happened between two ticks: then surprises may wake her.
    """
    counts: Counter[str] = Counter()
    for one in happened:
        counts[one.kind] += 1
        if counts[one.kind] > MOST_TOLD:
            continue
        startles = between and one.kind in STARTLING
        yield FieldEvent(now, one.kind, one.item, one.text, one.magnitude, startles)
        yield entry(
            one.kind,
            tick,
            now,
            item=one.item,
            text=one.text,
            magnitude=round(one.magnitude, 4),
            between=startles,
        )
    for kind, count in counts.items():
        if count > MOST_TOLD:
            yield entry(kind, tick, now, more=count - MOST_TOLD)
