"""Time passes for everything in the field, looked at or not (SoulScript Loop, section 3).

::

    salience <- salience * 0.5 ** (dt / H)
    H = half-life of the kind, x2 in the focus or close (never for alerts), x4 held, /3 resolved

Before that, what waits unanswered grows by its rate g per hour: valence <- max(-1, valence - g),
salience <- min(1, salience + g / 2). Standing senses never fade.
"""

from __future__ import annotations

import numpy as np

from soul.field.item import CLOSE, UNPLACED
from soul.field.items import Mask, Rows

#: Below this salience an item is gone, unless it is held or looked at.
FLOOR = 0.03


def decay(rows: Rows, seconds: float, focus: int = -1) -> Mask:
    """Let time pass, in place.

    Parameters
    ----------
    seconds
        How much time has passed; nothing happens for 0 or less.
    focus
        Row of what she looks at, -1: of nothing in the field.

    Returns
    -------
    array of bool
        The rows that have faded away.
    """
    if seconds <= 0.0:
        return np.zeros(len(rows), np.bool_)
    held, resolved = rows['held'], rows['resolved']
    grown = np.where(resolved, 0.0, rows['growth']) * (seconds / 3600.0)
    growing = grown > 0.0
    valence, salience = rows['valence'], rows['salience']
    valence[growing] = np.maximum(-1.0, valence[growing] - grown[growing])
    salience[growing] = np.minimum(1.0, salience[growing] + 0.5 * grown[growing])

    ring = rows['ring']
    near = ((ring <= CLOSE) | (ring == UNPLACED)) & ~rows['alert']
    half_life = rows['half_life'] * np.where(near, 2.0, 1.0) * np.where(held, 4.0, 1.0)
    half_life /= np.where(resolved, 3.0, 1.0)
    fading = ~rows['anchor']
    salience[fading] *= np.exp2(-seconds / half_life[fading])
    gone = fading & (salience < FLOOR) & ~held
    if focus >= 0:
        gone[focus] = False
    return gone
