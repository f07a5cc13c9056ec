"""Whole degrees of a tool as steps of a servo and back: what is left is cut off, both ways."""

from __future__ import annotations

import math

from soul.mock_body.servo import STEP


def stepped(degrees: float) -> float:
    """Return where a servo goes that is told so many degrees, 0.1 degree."""
    return math.trunc(10.0 * degrees / STEP) * STEP


def told(angle: float) -> int:
    """Return the degrees that are told of an angle, 0.1 degree."""
    return math.trunc(math.trunc(angle / STEP) * STEP / 10.0)
