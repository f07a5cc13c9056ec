"""One event for one touch, whatever the sensor tells of it: readings, gestures or both."""

from __future__ import annotations

import math

from soul.signals import Touch

#: Gestures recognised so shortly after the touch they are made of are no further touch, s.
_SAME_TOUCH = 1.0


class Touching:
    """Finds where touches begin."""

    def __init__(self) -> None:
        self._pressed = False
        self._told = -math.inf

    def feel(self, touch: Touch, now: float) -> float:
        """Take a reading; returns the strength 0..1 of a touch that begins, else 0."""
        strength = max((z for z in touch.zones if math.isfinite(z)), default=0.0)
        was, self._pressed = self._pressed, strength > 0.0 and touch.gesture != 'release'
        if touch.gesture == 'release':
            return 0.0
        begins = self._pressed and not was
        if touch.gesture and not begins:
            # A gesture without a reading beside it, or at the end of a touch told already.
            begins = not 0.0 <= now - self._told <= _SAME_TOUCH
            self._pressed = self._pressed and was
        if not begins:
            return 0.0
        self._told = now
        return min(1.0, strength) if strength > 0.0 else 0.5
