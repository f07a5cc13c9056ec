"""The journal of her ticks: what she saw, and which wake it was for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from soul.core.organ import Record
from soul.signals import View

#: `ticks.jsonl` under the home.
TICKS = 'ticks'


def entry(seen: View, now: float) -> Record:
    """Make the entry of a tick from the first view of it."""
    tick = {
        'tick': seen.tick,
        'wake': [seen.wake.epoch, seen.wake.sequence],
        'at': now,
        'causes': list(seen.causes),
        'mood': seen.mood,
        'text': seen.text,
    }
    return Record(TICKS, tick, durable=False)


def newest(
    past: Sequence[Mapping[str, Any]], tick: int, wake: Sequence[int]
) -> tuple[int, Sequence[int]]:
    """Return number and wake (epoch, sequence) of the newest tick.

    Parameters
    ----------
    past
        Newest part of the journal.
    tick, wake
        As the memory has them; they hold where the journal is empty.
    """
    if not past:
        return tick, wake
    return past[-1].get('tick', 0), past[-1].get('wake', (0, 0))


def unfit(entry: Mapping[str, Any]) -> str:
    """Say why an entry is none of this journal's; empty: it is one."""
    wake, tick = entry.get('wake', (0, 0)), entry.get('tick', 0)
    numbers = [tick, *wake] if isinstance(wake, list | tuple) else []
    if len(numbers) != 3 or not all(type(number) is int for number in numbers):
        return 'it names no tick'
    return ''
