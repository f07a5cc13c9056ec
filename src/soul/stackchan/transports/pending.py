"""Commands that wait for their acknowledgement, within one session.

A command is repeated once with the same id, so that the device can tell that it is the same;
`head` never, since by then another position is wanted.
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from soul.stackchan.transports.events import Answered
from soul.wire.schema import Ack

RETRY = 0.25
#: A command that has not been acknowledged by then never will be, s.
UNANSWERED = 1.0

_ROUND_TRIPS = 100


@dataclass
class PendingCommand:
    """A command on its way."""

    kind: str
    fields: Mapping[str, Any]
    sent: float
    tried: bool = False  # whether it has been repeated, or is not to be

    @property
    def due(self) -> float:
        """When it is to be repeated or given up."""
        return self.sent + (UNANSWERED if self.tried else RETRY)


class PendingCommands:
    """Matches acknowledgements with what was sent."""

    def __init__(self) -> None:
        self.retries = 0
        self.unanswered = 0
        self.round_trips: deque[float] = deque(maxlen=_ROUND_TRIPS)  # s
        self._pending: dict[str, PendingCommand] = {}

    def sent(self, id: str, kind: str, fields: Mapping[str, Any], now: float) -> None:
        """Note a command that has been sent."""
        self._pending[id] = PendingCommand(kind, fields, now, tried=kind == 'head')

    def take(self, ack: Ack, now: float) -> Answered | None:
        """Match an acknowledgement; None if nobody waits for it."""
        command = self._pending.pop(ack.id, None)
        if command is None:
            return None
        if now - command.sent < RETRY:  # afterwards it may answer the repetition
            self.round_trips.append(now - command.sent)
        # A repetition of what was refused is answered `dup` with the reason.
        refused = ack.st == 'dup' and ack.why not in ('', 'limit')
        return Answered(ack.id, 'nack' if refused else ack.st, ack.why)

    def repeat(self, now: float) -> list[PendingCommand]:
        """Take the commands that are to be sent once more."""
        again = [c for c in self._pending.values() if not c.tried and now >= c.due]
        for command in again:
            command.tried = True
        self.retries += len(again)
        return again

    def give_up(self, now: float) -> list[tuple[PendingCommand, Answered]]:
        """Take the commands that nobody will acknowledge any more."""
        late = [(id, c) for id, c in self._pending.items() if c.tried and now >= c.due]
        for id, _ in late:
            del self._pending[id]
        self.unanswered += len(late)
        return [(c, Answered(id, 'unanswered', 'no acknowledgement')) for id, c in late]

    def due(self) -> float:
        """When one is to be repeated or given up."""
        return min((command.due for command in self._pending.values()), default=math.inf)

    def clear(self) -> None:
        """The session has ended: nobody waits any more."""
        self._pending.clear()

    def figures(self) -> dict[str, str]:
        """Return the counts, and how long an acknowledgement takes as a rule."""
        times = self.round_trips
        return {
            'retries': str(self.retries),
            'unanswered': str(self.unanswered),
            'round trip ms': f'{1000.0 * statistics.median(times):.1f}' if times else '',
        }
