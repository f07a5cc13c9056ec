"""What she has done with her attention since the field was written down as a whole.

Each deed of hers that must not be lost is one entry of a journal before it is acknowledged. After
a crash those that are newer than the memory are done again, to the same things: an entry also has
what the deed was about, since that may have come after the memory was written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from soul.core.organ import Record
from soul.core.state_file import Shape, ShapeRefused
from soul.field.memory import ItemMemory
from soul.signals import AttendRequest

#: `attention.jsonl` under the home.
ATTENTION = 'attention'
_FIELDS = {field.name: type(field.default) for field in dataclasses.fields(AttendRequest)}
_ITEM = Shape(ItemMemory)


@dataclasses.dataclass(frozen=True, slots=True)
class Deed:
    """One thing she did.

    Parameters
    ----------
    at
        When, s of the node's clock.
    item
        What it was about, as it was afterwards; None: nothing, or an earlier version wrote it.
    count
        Number of the newest item then.
    """

    request: AttendRequest
    at: float
    item: ItemMemory | None = None
    count: int = 0


class AttentionLog:
    """Numbers her deeds.

    Parameters
    ----------
    done
        How many are in the memory.
    past
        Newest part of the journal.
    """

    def __init__(self, done: int, past: Sequence[Mapping[str, Any]]) -> None:
        self.done = done
        self._owed = [entry for entry in past if entry['number'] > done]

    def entry(self, deed: Deed) -> Record:
        """Return the next entry; on the disk before the deed is acknowledged."""
        self.done += 1
        said = {name: value for name, value in dataclasses.asdict(deed.request).items() if value}
        entry = {'number': self.done, 'at': deed.at, 'request': said, 'count': deed.count}
        if deed.item is not None:
            entry['item'] = _ITEM.plain(deed.item)
        return Record(ATTENTION, entry)

    def owed(self) -> Iterable[Deed]:
        """Return once what the memory does not have, oldest first."""
        owed, self._owed = self._owed, []
        for entry in owed:
            self.done = max(self.done, entry['number'])
            item = _ITEM.read(entry['item']) if 'item' in entry else None
            request = AttendRequest(**entry['request'])
            yield Deed(request, float(entry['at']), item, entry.get('count', 0))


def unfit(entry: Mapping[str, Any]) -> str:
    """Say why an entry is none of this journal's; empty: it is one."""
    number, at, request = entry.get('number'), entry.get('at'), entry.get('request')
    if type(number) is not int or not isinstance(at, int | float) or not isinstance(request, dict):
        return 'it names no number, time or request'
    for name, value in request.items():
        if name not in _FIELDS or not isinstance(value, (_FIELDS[name], int)):
            return f'its request has an odd {name!s:.40}'
    if type(entry.get('count', 0)) is not int:
        return 'its count is no number'
    if 'item' not in entry:
        return ''
    if not isinstance(entry['item'], dict):
        return 'it holds no item'
    try:
        _ITEM.read(entry['item'])
    except ShapeRefused as refused:
        return f'its item is none: {refused}'
    return ''
