"""The field holds only so much (SoulScript Loop, section 6).

An item costs the characters of what she holds of it and 8 more. Over capacity, what has the
lowest salience x proximity (x 1.3 if somebody waits behind it) goes first: full, gist, trace,
gone. The focus is never touched, held items are compressed last and stay, gauges stay.

The focus counts at most half of the capacity: a very long message in full before her eyes must not
empty the rest of her field.

Compressing an item does not change its rank, so the whole order is known beforehand: one sort and
one running sum find who has to go, however much is too much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from soul.field.item import TRACE
from soul.field.items import Mask, Rows

#: Columns with the length of each level of fidelity.
LEVELS = ('full', 'gist', 'trace')
#: Characters every item costs beside its text.
OVERHEAD = 8
#: By ring: focus, close, around, edge; gauges and alerts count as close.
PROXIMITY = np.array([1.5, 1.0, 0.75, 0.5, 1.0])
WAITING = 1.3


def costs(rows: Rows) -> NDArray[np.int64]:
    """Return what each item costs, characters."""
    held_of_it = np.choose(rows['fidelity'], [rows[level] for level in LEVELS])
    return held_of_it.astype(np.int64) + OVERHEAD


def used(rows: Rows) -> int:
    """Return what all items cost, characters."""
    return int(costs(rows).sum())


def keep_scores(rows: Rows) -> NDArray[np.float64]:
    """Return how firmly each item is in the field; the lowest goes first."""
    waiting = rows['waits'] & ~rows['resolved']
    return rows['salience'] * PROXIMITY[rows['ring']] * np.where(waiting, WAITING, 1.0)


def fit(rows: Rows, capacity: int, focus: int = -1) -> Mask:
    """Compress, in place, until the field is within capacity.

    Parameters
    ----------
    capacity
        Characters.
    focus
        Row of what she looks at, -1: of nothing in the field.

    Returns
    -------
    array of bool
        The rows that slip away.
    """
    gone = np.zeros(len(rows), np.bool_)
    cost = costs(rows)
    excess = int(cost.sum()) - capacity
    if focus >= 0:
        excess -= max(0, int(cost[focus]) - capacity // 2)
    if excess <= 0:
        return gone
    stays = rows['held'] | rows['anchor']
    lowest = rows['trace'] + OVERHEAD
    saving = np.where(stays, cost - lowest, cost)
    # what she holds goes after everything else, what nobody has seen yet before that
    rank = np.where(rows['held'], 2, np.where(rows['new'] & ~rows['resolved'], 1, 0))
    order = np.lexsort((keep_scores(rows), rank))
    order = order[order != focus]
    saved = np.cumsum(saving[order])
    last = int(np.searchsorted(saved, excess))  # the first whose whole saving is enough
    for_good = order[:last]
    gone[for_good] = ~stays[for_good]
    rows['fidelity'][for_good] = TRACE
    if last < len(order):
        victim = int(order[last])
        excess -= int(saved[last - 1]) if last else 0
        gone[victim] = _squeeze(rows, victim, int(cost[victim]), excess)
    return gone


def _squeeze(rows: Rows, victim: int, cost: int, excess: int) -> bool:
    """Compress one item as far as needed; True if it has to go."""
    while rows['fidelity'][victim] < TRACE:
        rows['fidelity'][victim] += 1
        held_of_it = int(rows[LEVELS[rows['fidelity'][victim]]][victim]) + OVERHEAD
        if cost - held_of_it >= excess:
            return False
    return True
