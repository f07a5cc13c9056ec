"""Where things lie around her focus: close, around, at the edge (SoulScript Loop, section 1).

Held items are close. The others are ranked by (relatedness, salience), without a focus vector by
salience alone. With `slots` = 4 - held: close is rank < slots and relatedness >= max(floor,
0.45 x the best of those that are not held); around is rank < slots + 6; the rest is the edge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from soul.field.item import AROUND, CLOSE, EDGE, FOCUS, UNPLACED
from soul.field.items import Mask, Rows

CLOSE_PLACES = 4
AROUND_PLACES = 6
#: Close is at least this share of the best: embedders give unrelated texts a base similarity.
RELATIVE_BAR = 0.45


def rings(
    relatedness: NDArray[np.float64],
    salience: NDArray[np.float64],
    held: Mask,
    floor: float,
    focused: bool,
) -> NDArray[np.int8]:
    """Place items that are not the focus.

    Parameters
    ----------
    relatedness
        To the focus, -1..1; NaN (not known yet) ranks like 0. Not used unless `focused`.
    floor
        The embedder's lowest relatedness that can be close.
    focused
        Whether there is a focus with a vector.

    Returns
    -------
    array of int8
        CLOSE, AROUND or EDGE, one an item.
    """
    placed = np.full(len(salience), EDGE, np.int8)
    placed[held] = CLOSE
    loose = np.flatnonzero(~held)
    slots = max(0, CLOSE_PLACES - int(held.sum()))
    known = np.nan_to_num(relatedness[loose]) if focused else np.zeros(len(loose))
    # the sort is stable: of equals the older one is nearer
    order = np.lexsort((-salience[loose], -known))[: slots + AROUND_PLACES]
    ranked = loose[order]
    placed[ranked] = AROUND
    near = ranked[:slots]
    if focused and len(near):
        best = float(known[order[0]])
        near = near[known[order[:slots]] >= max(floor, RELATIVE_BAR * best)]
    placed[near] = CLOSE
    return placed


def lay_out(
    rows: Rows,
    vectors: NDArray[np.float32],
    focus: int,
    topic: NDArray[np.float32] | None,
    floor: float,
) -> None:
    """Set the ring and relatedness of every row.

    Parameters
    ----------
    focus
        Row of the item in focus, -1: none.
    topic
        Vector of what she looks at if that is no item in the field.
    """
    towards = topic
    if focus >= 0:
        towards = vectors[focus] if rows['embedded'][focus] else None
    rows['relatedness'] = np.nan
    if towards is not None:
        embedded = rows['embedded']
        # not `@`: for so little, starting BLAS's threads costs many times the product
        products = np.einsum('ij,j->i', vectors, towards)
        # two unit vectors of float32 can come out a little over 1
        rows['relatedness'][embedded] = np.clip(products[embedded], -1.0, 1.0)
    rows['ring'] = np.where(rows['placed'], EDGE, UNPLACED)
    others = rows['placed'].copy()
    if focus >= 0:
        others[focus] = False
        rows['ring'][focus] = FOCUS
        rows['relatedness'][focus] = 1.0
    # what nobody has seen yet is put before her eyes whatever it is about
    kept = rows['held'] | (rows['new'] & ~rows['resolved'])
    rows['ring'][others] = rings(
        rows['relatedness'][others],
        rows['salience'][others],
        kept[others],
        floor,
        towards is not None,
    )
