"""Whether there is a body: it is lost once and comes back once."""

from __future__ import annotations

import math

from soul.signals import NO, UNKNOWN, YES

#: After a start a body has at least so long until it counts as silent, s: it must be found first.
FOUND_SECONDS = 6.0


class Presence:
    """Follows one body by what it says and by what its driver says.

    A driver that has told of a body has the word from then on: what else is sensed when it has
    lost the body is not the body. A driver that never had one says nothing about others.

    A restart is a nap: what was there before counts as there until it has been silent for the
    usual time.

    Parameters
    ----------
    silence
        A body that says nothing for so long is lost, s.
    grace
        A body that its driver has lost may come back within this unnoticed, s.
    before
        What was true when she fell asleep.
    """

    def __init__(self, silence: float, grace: float, before: int = UNKNOWN) -> None:
        self.connected = before
        self.why = ''  # it is lost
        self._silence = silence
        self._grace = grace
        self._heard = math.nan
        self._driven = False  # whether a driver has told of a body
        self._dropped = math.nan  # since when that driver has none any more
        self._detail = ''
        self._asleep = False  # it may say nothing for as long as it likes
        self._deadline = math.inf

    def begin(self, now: float) -> None:
        """She wakes up: what was there has time to be found again and to show itself."""
        if self.connected == YES:
            self._heard = now + max(0.0, FOUND_SECONDS - self._silence)
            self._arm()

    def heard(self, now: float) -> bool:
        """Hear a reading; True if the body appears or comes back with it."""
        return self._alive(now) if math.isnan(self._dropped) else False

    def joined(self, now: float) -> bool:
        """Hear from the driver that a body is there; True if it appears or comes back."""
        self._driven = True
        self._dropped = math.nan
        self._asleep = False
        return self._alive(now)

    def dropped(self, detail: str, now: float) -> None:
        """Hear from the driver that no body is there."""
        if self._driven and math.isnan(self._dropped):
            self._asleep = False
            self._dropped = now
            self._detail = detail or 'the body is gone'
            self._arm()

    def sleeps(self, now: float) -> None:
        """Hear from the driver that the body has hung up as it does when nobody needs it.

        It stays as it was: somebody wakes it, or its driver loses it.
        """
        self._driven = True
        self._dropped = math.nan
        self._asleep = True
        self._arm()

    def lose(self, now: float) -> bool:
        """Conclude whether the body is lost; True once."""
        if self.connected != YES or now < self._deadline:
            return False
        gone = self._dropped + self._grace <= now
        self.why = self._detail if gone else 'the body has fallen silent'
        self.connected = NO
        self._arm()
        return True

    @property
    def due(self) -> float:
        """When :meth:`lose` may find something, s of the node's clock."""
        return self._deadline

    def overslept(self, now: float) -> None:
        """Nobody listened until now (the host was suspended, the clock leapt)."""
        if not math.isnan(self._dropped):
            self._dropped = now
        if self.connected == YES:
            self._heard = now
            self._arm()

    def _alive(self, now: float) -> bool:
        new = self.connected != YES
        self.connected = YES
        self._heard = now
        self._arm()
        return new

    def _arm(self) -> None:
        if self.connected != YES or self._asleep:
            self._deadline = math.inf
            return
        self._deadline = self._heard + self._silence
        if not math.isnan(self._dropped):
            self._deadline = min(self._deadline, self._dropped + self._grace)
