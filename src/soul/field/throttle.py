"""What arrives by the thousand is taken in one by one and seen together."""

from __future__ import annotations

import math

#: So much may happen in this time (s) before she is shown it, and the heart told, only now and
#: then.
SECONDS, AT_ONCE = 0.2, 4


class Throttle:
    """Lets a few pass at once, and the others together a little later."""

    def __init__(self) -> None:
        self._count = 0  # in the time that began then
        self._since = -math.inf
        #: When what waits passes, s of the node's clock; inf: nothing waits.
        self.due = math.inf

    @property
    def holds(self) -> bool:
        """Whether something waits."""
        return self.due < math.inf

    def passes(self, now: float) -> bool:
        """Count one more; False if it has to wait until :attr:`due`."""
        if not 0.0 <= now - self._since < SECONDS:
            self._count, self._since = 0, now
        self._count += 1
        if self._count <= AT_ONCE:
            return True
        self.due = self._since + SECONDS
        return False

    def passed(self) -> None:
        """All that waited has passed."""
        self.due = math.inf
