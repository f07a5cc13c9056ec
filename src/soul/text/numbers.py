"""Numbers that come out of a file: an odd one must not hurt whoever reads it."""

from __future__ import annotations

import math
from typing import Any


def number(value: Any, low: float, high: float, otherwise: float) -> float:
    """Return a stored number within its range.

    Parameters
    ----------
    low, high
        Bounds; a finite number beyond one of them becomes that bound.
    otherwise
        What counts instead of NaN, an infinity or null.

    Raises
    ------
    TypeError, ValueError
        If it is no number at all: then the file is not what it should be.
    """
    found = math.nan if value is None else float(value)
    return min(high, max(low, found)) if math.isfinite(found) else otherwise
