"""What wakes her from outside: somebody at the door, her body, a surprise, a nudge."""

from __future__ import annotations

from soul.core.organ import Save
from soul.core.output import Outputs
from soul.heart import acts
from soul.heart.config import HeartConfig
from soul.heart.pending_callers import PendingCallers
from soul.heart.refractory import Refractory
from soul.heart.rhythm import Rhythm
from soul.heart.waker import Waker
from soul.signals import (
    FieldEvent,
    FieldEventKind,
    Knock,
    NudgeAnswer,
    NudgeRequest,
    SenseEvent,
    WakeCause,
)


class Triggers:
    """Decides what of all that happens around her wakes her now."""

    def __init__(
        self,
        config: HeartConfig,
        rhythm: Rhythm,
        pending: PendingCallers,
        refractory: Refractory,
        waker: Waker,
    ) -> None:
        self._config = config
        self._rhythm = rhythm
        self._inner = rhythm.inner
        self._around = rhythm.around
        self._pending = pending
        self.refractory = refractory
        self._waker = waker

    def knock(self, knock: Knock, now: float) -> Outputs:
        """Somebody is at the door."""
        if (
            self._rhythm.wakes.open is not None
            and knock.message_id in self._rhythm.wakes.open.message_ids
        ):
            return
        self._rhythm.live(now)
        new = self._pending.knock(knock)
        if new:
            self._inner.nudge(acts.MESSAGE)
        if self._waker.callable:
            yield from self._waker.wake(now)
        elif new:
            yield from self._waker.changed(now)

    def sense(self, event: SenseEvent, now: float) -> Outputs:
        """The body noticed something."""
        kind = self._inner.tables.event(event.kind)
        self._rhythm.live(now)
        if not self.refractory.felt(event.kind, now, kind.refractory_seconds):
            return
        self.refractory.limit(now)
        # lifting her moves her first: that is one event, whichever of the two is told
        if not kind.as_one or self.refractory.first(kind.as_one, now):
            self._inner.nudge(event.kind)
        heavy = event.trusted and kind.weight >= self._config.heavy_event
        if heavy and kind.weight > 0.0 and self._around.startles:
            reason = event.detail or event.kind.replace('_', ' ')
            yield from self._waker.wake(now, [WakeCause.SENSE], [reason], [event])
        else:
            yield from self._waker.changed(now)

    def surprise(self, event: FieldEvent, now: float) -> Outputs:
        """A surprise between two ticks wakes her; what her own tick brings does not."""
        if not event.between_ticks:
            return
        broken = event.kind == FieldEventKind.BROKEN
        surprised = event.kind == FieldEventKind.SURPRISED
        if not broken and not (surprised and event.magnitude >= self._config.surprise_at):
            return
        self._rhythm.live(now)
        if self._around.startles and self.refractory.felt(f'field/{event.kind}', now):
            yield from self._waker.wake(now, [WakeCause.SURPRISE], [event.text or event.kind])

    def nudge(self, request: NudgeRequest, now: float) -> tuple[NudgeAnswer, Outputs]:
        """Wake her, for a reason; in mid-turn as soon as that has ended."""
        refusal = self._pending.refuse(request.reason)
        if not refusal and self._around.halted:
            refusal = 'she is stopped or paused; resume her first'
        if refusal:
            return NudgeAnswer(False, refusal), ()
        self._rhythm.live(now)
        reason, open_wake = request.reason.strip(), self._rhythm.wakes.open
        new = self._pending.nudge(reason, request.by)
        if new and not (open_wake is not None and reason in open_wake.reasons):
            self._inner.nudge(acts.NUDGE)
        # Written down before it is answered: an accepted nudge is never dropped.
        return NudgeAnswer(True), self._nudged(now)

    def _nudged(self, now: float) -> Outputs:
        if not self._around.busy:
            yield from self._waker.wake(now)
        yield Save()
