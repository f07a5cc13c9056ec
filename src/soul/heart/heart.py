"""The heart: feels drives and the body clock, and decides when she wakes."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Mapping
from typing import Any

from soul.core.organ import Health, Organ, Save, SaveSoon
from soul.core.output import Outputs
from soul.heart.config import HeartConfig
from soul.heart.memory import HeartMemory
from soul.heart.pending_callers import PendingCallers
from soul.heart.refractory import Refractory
from soul.heart.rhythm import Rhythm
from soul.heart.state_publisher import StatePublisher
from soul.heart.triggers import Triggers
from soul.heart.waker import Waker
from soul.signals import (
    BodyState,
    Energy,
    FieldEvent,
    GuardState,
    HeartState,
    Knock,
    MindState,
    NudgeAnswer,
    NudgeRequest,
    Outcome,
    Phase,
    RestAnswer,
    RestRequest,
    SenseEvent,
    Turn,
    View,
    Wake,
    newer,
)


class Heart(Organ):
    """Pure logic of the heart; see :mod:`soul.core.organ` for the form.

    Parameters
    ----------
    write_page
        Writes DRIVES.json, the page that people read; None: there is none.

    Raises
    ------
    TableRefused
        If the drives or the sensations cannot be used.
    """

    hears = {
        'door/knock': Knock,
        'body/event': SenseEvent,
        'body/state': BodyState,
        'field/view': View,
        'field/event': FieldEvent,
        'mind/turn': Turn,
        'mind/state': MindState,
        'guard/energy': Energy,
        'guard/state': GuardState,
    }
    says = {'heart/wake': Wake, 'heart/state': HeartState}
    serves = {'heart/rest': RestRequest, 'heart/nudge': NudgeRequest}
    watches = ('mind/state', 'guard/state')
    memory_file = 'heart.json'
    memory_type = HeartMemory

    def __init__(
        self,
        config: HeartConfig,
        rng: random.Random,
        memory: HeartMemory | None = None,
        write_page: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        self._config = config
        self.rhythm = Rhythm(config, rng, memory)
        self._inner = self.rhythm.inner
        self._life = self.rhythm.life
        self._around = self.rhythm.around
        self._wakes = self.rhythm.wakes
        self._pending = PendingCallers(memory.callers if memory else None)
        refractory = Refractory(config.refractory_seconds, config.refractory_longest)
        self._publisher = StatePublisher(self.rhythm, config.state_seconds, write_page)
        self._waker = Waker(self.rhythm, self._pending, self._publisher)
        self.triggers = Triggers(config, self.rhythm, self._pending, refractory, self._waker)
        self.rhythm.along = (refractory, self._publisher)

    # --- time -----------------------------------------------------------------------------

    def start(self, now: float) -> Outputs:
        """Live through the time since the last life, then go on."""
        self.rhythm.begin(now)
        yield from self._waker.changed(now)
        with contextlib.suppress(OSError):  # tried again when she wakes
            yield from self._waker.reserve()
        self._publisher.show(now)

    def stop(self, now: float) -> Outputs:
        """Leave the page as she is."""
        self.rhythm.live(now)
        self._publisher.show(now)
        return ()

    def due(self) -> float:
        """When something happens by itself: a wake, falling asleep, waking up, a word of it."""
        if self._publisher.turned:
            return self._life.at
        return min(self.rhythm.due(), self._publisher.due, self._publisher.page_due)

    def step(self, now: float) -> Outputs:
        """Wake her if it is time, send an open wake again, say how she is."""
        self.rhythm.live(now)
        again = self._wakes.resend(now)
        if again is not None:
            yield again
        cause = self.rhythm.scheduler.overdue
        if cause and self.rhythm.wakeable:
            yield from self._waker.wake_by_itself(now, cause)
        elif now >= self._publisher.due or self._publisher.turned:
            yield self._publisher.tell(now)
        self._publisher.show_if_due(now)

    # --- what wakes her -------------------------------------------------------------------

    def on_knock(self, knock: Knock, now: float) -> Outputs:
        """Somebody is at the door."""
        return self.triggers.knock(knock, now)

    def on_sense_event(self, event: SenseEvent, now: float) -> Outputs:
        """The body noticed something."""
        return self.triggers.sense(event, now)

    def on_field_event(self, event: FieldEvent, now: float) -> Outputs:
        """A surprise between two ticks wakes her; what her own tick brings does not."""
        return self.triggers.surprise(event, now)

    def serve_nudge(self, request: NudgeRequest, now: float) -> tuple[NudgeAnswer, Outputs]:
        """Wake her, for a reason; in mid-turn as soon as that has ended."""
        return self.triggers.nudge(request, now)

    def serve_rest(self, request: RestRequest, now: float) -> tuple[RestAnswer, Outputs]:
        """Let her rest for the wanted time from now; the heart's own limit holds."""
        longest = self._config.longest_rest_minutes
        minutes = request.duration / 60.0
        if not 0.0 <= minutes <= longest:
            reason = f'a rest of {minutes:g} minutes: allowed is 0 to {longest:g}'
            return RestAnswer(False, reason), ()
        self.rhythm.live(now)
        self.rhythm.rest(minutes, now, forced=True)
        return RestAnswer(True), [*self._waker.changed(now), Save()]

    # --- what the others do ---------------------------------------------------------------

    def on_mind_state(self, state: MindState, now: float) -> Outputs:
        """Learn which wake has begun; catch up with a turn that was missed."""
        self.rhythm.live(now)
        before, self._around.mind = self._around.mind, state
        if self._wakes.begun(state.begun):
            yield SaveSoon()
        elif state.phase == Phase.IDLE:
            self._wakes.hurry(now)
        yield from self.on_turn(state.last_turn, now)
        if before is None or _pulse(before) != _pulse(state):
            yield from self._waker.changed(now)
        yield from self._waker.answer_callers(now)

    def on_turn(self, turn: Turn, now: float) -> Outputs:
        """A waking has ended: what it did is felt, once, however often and late it is told."""
        if self._inner.turns.known(turn):
            return
        self.rhythm.live(now)
        self._wakes.begun(turn.wake)  # it may be told before the state that says so
        self._pending.seen(turn.messages_seen)
        passed = turn.declined and not turn.steps  # nobody has thought about it
        self._pending.lived(turn.wake, turn.outcome == Outcome.SLEPT and not passed)
        if self._inner.lived(turn, self._wakes.dream):
            self.rhythm.rest(turn.rest / 60.0, now)
        yield from self._waker.changed(now)
        yield SaveSoon()
        self._publisher.show_soon(now)

    def on_body_state(self, state: BodyState, now: float) -> Outputs:
        """Take in how the body is; light and factors of inhibition follow from it."""
        self.rhythm.live(now)
        before = self._around.factors
        self._around.body = state
        if self._life.light(state.illuminance) or self._around.factors != before:
            yield from self._waker.changed(now)

    def on_view(self, view: View, now: float) -> Outputs:
        """See how aroused she is; a field that has just come may have missed a wake."""
        if self._wakes.open is not None and newer(self._wakes.open.id, view.wake):
            self._wakes.hurry(now)
        arousal = min(1.0, max(0.0, view.arousal))
        if arousal != self._around.arousal:  # never true of NaN: min and max let none through
            self.rhythm.live(now)
            self._around.arousal = arousal
            yield from self._waker.changed(now)

    def on_energy(self, energy: Energy, now: float) -> Outputs:
        """Feel how much is left."""
        self.rhythm.live(now)
        before, self._around.energy = self._around.energy, energy
        if before is None or (before.level, before.spent) != (energy.level, energy.spent):
            yield from self._waker.changed(now)

    def on_guard_state(self, state: GuardState, now: float) -> Outputs:
        """Stopped or resumed: on resume one merged wake for all who knocked."""
        self.rhythm.live(now)
        before, self._around.guard = self._around.guard, state
        if before is None or (before.stopped, before.paused) != (state.stopped, state.paused):
            yield from self._waker.changed(now)
        yield from self._waker.answer_callers(now)

    def on_silence(self, topic: str, now: float) -> Outputs:
        """Without a mind nothing can be lived; without a guard its word is void."""
        self.rhythm.live(now)
        if topic == 'mind/state':
            self._around.mind = None
        else:
            self._around.guard = None
        yield from self._waker.changed(now)
        yield from self._waker.answer_callers(now)

    # --- out ------------------------------------------------------------------------------

    def state(self, now: float) -> HeartState:
        """Return the heart's state as it is published."""
        return self._publisher.state(now)

    def memory(self) -> HeartMemory:
        """Return what must survive."""
        inner = self._inner
        return HeartMemory(
            life=inner.life.memory(),
            turns=inner.turns.memory(),
            pace=self.rhythm.scheduler.memory(),
            wakes=self._wakes.memory(),
            callers=self._pending.memory(),
            arousal=self._around.arousal,
            unconsolidated=inner.unconsolidated,
            rest_until=inner.rest_until,
            rest_minutes=inner.rest_minutes,
            held=self.rhythm.held,
        )

    def health(self, now: float) -> Health:
        """How the heart is."""
        forecast = self._inner.forecast()
        values = {
            'rate per hour': f'{forecast.rate(self._life.at):.3f}',
            'asleep': str(self._life.asleep),
            'wake open': str(self._wakes.open is not None),
            'last wake': str(self._wakes.last.sequence),
        }
        if self.rhythm.scheduler.exceeded:
            values['bounds exceeded'] = str(self.rhythm.scheduler.exceeded)
            return Health('error', 'a wake rate was above its bound', values)
        if self._publisher.page_trouble:
            trouble = f'her page cannot be written: {self._publisher.page_trouble}'
            return Health('warn', trouble, values)
        return Health(values=values)


def _pulse(state: MindState) -> tuple[Any, ...]:
    """What of the mind's state the heart goes by."""
    return state.model_available, state.open_loops, state.phase, state.begun
