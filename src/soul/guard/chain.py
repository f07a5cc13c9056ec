"""Links the rows of the audit: each carries a digest of itself and of the row before.

Who changes, removes or inserts a row without doing all later ones anew is found. The chain has no
secret: who may write the whole database can write another one, which only a copy of its newest
digest elsewhere would show.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

#: Before the first row.
GENESIS = '0' * 64


class Row(NamedTuple):
    """One row of the audit; `detail` is JSON, `digest` empty in rows older than the chain."""

    number: int
    at: float  # s since 1970
    kind: str
    ref: str
    detail: str
    digest: str


def link(before: str, number: int, at: float, kind: str, ref: str, detail: str) -> str:
    """Return the digest of a row: SHA-256 over the one before and everything in it, in hex."""
    content = json.dumps([before, number, repr(at), kind, ref, detail], ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def faults(rows: Iterable[Row]) -> Iterator[str]:
    """Name each place where the chain does not hold, in words.

    Parameters
    ----------
    rows
        All of them, in the order of their numbers.
    """
    last, chained = 0, False
    known: str | None = GENESIS  # digest of the row before; None: it is not known
    for row in rows:
        if row.number != last + 1:
            yield _missing(last + 1, row.number - 1)
            known = None
        last = row.number
        if row.digest:
            if known is not None and row.digest != link(known, *row[:5]):
                yield f'row {row.number} was changed'
            chained, known = True, row.digest
        elif chained:
            yield f'row {row.number} has no digest'
            known = None


def _missing(first: int, last: int) -> str:
    return f'row {first} is missing' if first == last else f'rows {first} to {last} are missing'
