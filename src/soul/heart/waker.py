"""Wakes her: with everybody who waits, under a number that the disk knows."""

from __future__ import annotations

from collections.abc import Iterable

from soul.core.organ import Save, SaveSoon
from soul.core.output import Outputs
from soul.heart.pending_callers import PendingCallers
from soul.heart.rhythm import Rhythm
from soul.heart.state_publisher import StatePublisher
from soul.signals import SenseEvent, WakeCause


class Waker:
    """Makes the outputs of a waking, and of every other change of state."""

    def __init__(self, rhythm: Rhythm, pending: PendingCallers, publisher: StatePublisher) -> None:
        self._rhythm = rhythm
        self._pending = pending
        self._publisher = publisher

    def changed(self, now: float) -> Outputs:
        """Go on from a new state, and tell it."""
        self._rhythm.feel(now)
        yield self._publisher.tell(now)

    def wake(
        self,
        now: float,
        causes: Iterable[str] = (),
        reasons: Iterable[str] = (),
        events: Iterable[SenseEvent] = (),
    ) -> Outputs:
        """Wake her, with everybody who waits; she has lived until now.

        Raises
        ------
        OSError
            From the `yield`, if a number had to be reserved and cannot be written.
        """
        yield from self.reserve()
        rhythm = self._rhythm
        causes, reasons = list(causes), list(reasons)
        message_ids: list[str] = []
        if WakeCause.DREAM not in causes:
            called, why, message_ids = self._pending.take()
            causes, reasons = [*causes, *called], [*reasons, *why]
            rhythm.inner.woken(now)
        rhythm.scheduler.woken()
        rate = rhythm.inner.forecast().rate(rhythm.life.at)
        wake = rhythm.wakes.wake(causes, reasons, now, rate, message_ids, events)
        self._pending.carry(wake.id)
        if message_ids:  # somebody waits: how she feels follows a moment later
            yield wake
            rhythm.feel(now)
            self._publisher.tell_soon(now)
        else:
            yield from self.changed(now)
            yield wake
        # Whoever knocked knocks again, should this be lost; a nudge is written before its answer.
        yield SaveSoon()

    def wake_by_itself(self, now: float, cause: str) -> Outputs:
        """Wake her because it is time."""
        reasons = []
        if cause == WakeCause.DREAM:
            count = self._rhythm.inner.unconsolidated
            reasons = [f'{count:g} wakings and talks not dreamt over yet']
        return self.wake(now, [cause], reasons)

    def reserve(self) -> Outputs:
        """Make sure that no number is used before the disk knows that it may be.

        Raises
        ------
        OSError
            From the `yield`, if the memory cannot be written: then she cannot wake.
        """
        wakes = self._rhythm.wakes
        if wakes.must_reserve:
            wakes.reserve()
            try:
                yield Save()
            except OSError:
                wakes.unreserve()
                raise

    def answer_callers(self, now: float) -> Outputs:
        """Wake her if somebody waits and she can be woken."""
        if self._pending.waiting and self.callable:
            yield from self.wake(now)

    @property
    def callable(self) -> bool:
        """Whether whoever calls wakes her now; in a turn she sees who comes anyway."""
        around = self._rhythm.around
        return not (around.halted or around.busy)
