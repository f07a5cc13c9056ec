"""What she has done with her attention since the field was written down as a whole.

Each deed of hers that must not be lost is one entry of a journal before it is acknowledged. After
a crash those that are newer than the memory are done again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from soul.core.organ import Record
from soul.signals import AttendRequest

#: `attention.jsonl` under the home.
ATTENTION = 'attention'
_FIELDS = {field.name: type(field.default) for field in dataclasses.fields(AttendRequest)}


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

    def entry(self, request: AttendRequest, now: float) -> Record:
        """Return the next entry; on the disk before it is acknowledged.

        Parameters
        ----------
        now
            When it is done, s of the node's clock.
        """
        self.done += 1
        said = {name: value for name, value in dataclasses.asdict(request).items() if value}
        return Record(ATTENTION, {'number': self.done, 'at': now, 'request': said})

    def owed(self) -> Iterable[tuple[AttendRequest, float]]:
        """Return once what the memory does not have: requests and their times, oldest first."""
        owed, self._owed = self._owed, []
        for entry in owed:
            self.done = max(self.done, entry['number'])
            yield AttendRequest(**entry['request']), float(entry['at'])


def unfit(entry: Mapping[str, Any]) -> str:
    """Say why an entry is none of this journal's; empty: it is one."""
    number, at, request = entry.get('number'), entry.get('at'), entry.get('request')
    if type(number) is not int or not isinstance(at, int | float) or not isinstance(request, dict):
        return 'it names no number, time or request'
    for name, value in request.items():
        if name not in _FIELDS or not isinstance(value, (_FIELDS[name], int)):
            return f'its request has an odd {name!s:.40}'
    return ''
