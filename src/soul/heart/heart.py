"""The heart: feels drives and the body clock, and decides when she wakes."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from soul.heart import acts
from soul.heart.being import Being
from soul.heart.callers import Callers
from soul.heart.config import HeartConfig
from soul.heart.life import LONGEST
from soul.heart.memory import HeartMemory
from soul.heart.pace import Pace
from soul.heart.portrait import page, picture
from soul.heart.reflexes import Reflexes
from soul.heart.wakes import Wakes, is_dream
from soul.organ import Health, Organ, Save
from soul.signals import (
    BodyState,
    Energy,
    FieldEvent,
    FieldEventKind,
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
    WakeCause,
    newer,
)
from soul.store.numbers import number

#: DRIVES.json is written at least this often while she lives, s.
PAGE_SECONDS = 600.0


class Heart(Organ):
    """Pure logic of the heart; see :mod:`soul.organ` for the form.

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
        self._write_page = write_page
        self._being = Being(config, memory)
        self._life = self._being.life
        self._around = self._being.around
        self._pace = Pace(config, rng, memory.pace if memory else None)
        self._wakes = Wakes(config.resend_seconds, rng, memory.wakes if memory else None)
        self._callers = Callers(memory.callers if memory else None)
        self._reflexes = Reflexes(config.refractory_seconds, config.refractory_longest)
        # What held her down, as it was written last: so she was while nobody was here.
        held, stir = memory.held if memory else (0.0, 1.0)
        self._held_before = number(held, 0.0, 1e3, 0.0), number(stir, 0.0, 1e3, 1.0)
        self._tell_at = math.inf
        self._told_asleep = self._life.asleep
        self._page_at = -math.inf
        self._page_trouble = ''

    # --- time -----------------------------------------------------------------------------

    def start(self, now: float) -> Iterable[Any]:
        """Live through the time since the last life, then go on."""
        life = self._life
        if now < life.at:
            self._shift(now - life.at)  # a stamp in the future: the clock was set back
        elif not math.isnan(life.at) and self._pace.samples:
            self._skip(now)
            held, urge = self._held_before
            self._pace.revive(life.course(self._being.influence(held, urge)), life.at, now)
        life.live(now)
        self._wakes.revive(now)
        self._forget_missed()
        yield from self._changed(now)
        with contextlib.suppress(OSError):  # tried again when she wakes
            yield from self._reserve()
        self._show(now)

    def stop(self, now: float) -> Iterable[Any]:
        """Leave the page as she is."""
        self._live(now)
        self._show(now)
        return ()

    def due(self) -> float:
        """When something happens by itself: a wake, falling asleep, waking up, a word of it."""
        if (self._pace.overdue and self._wakeable) or self._life.asleep != self._told_asleep:
            return self._life.at
        return min(self._pace.due(), self._wakes.resend_at, self._life.due(), self._tell_at)

    def step(self, now: float) -> Iterable[Any]:
        """Wake her if it is time, send an open wake again, say how she is."""
        self._live(now)
        again = self._wakes.resend(now)
        if again is not None:
            yield again
        cause = self._pace.overdue
        if cause and self._wakeable:
            yield from self._wake(now, [cause], self._dream_reasons(cause))
        elif now >= self._tell_at or self._life.asleep != self._told_asleep:
            yield self._tell(now)
        if now >= self._page_at:
            self._show(now)

    def _live(self, now: float) -> None:
        """Live until now, and see what that brought."""
        if now < self._life.at:
            self._shift(now - self._life.at)
        if now >= self._pace.due():
            self._skip(now)
            self._pace.catch_up(self._being.course(), now)
        self._life.live(now)
        self._forget_missed()

    def _skip(self, now: float) -> None:
        """Of an absence of years only the last one is looked through for a wake."""
        if now - self._life.at > LONGEST:
            self._life.live(now - LONGEST)
            self._pace.skip(self._life.at)

    def _forget_missed(self) -> None:
        """What was due at another time of her day need not be made up for."""
        if not self._life.asleep:
            self._wakes.drop_dream()
        missed = self._pace.overdue
        if missed and self._pace.samples and (missed == WakeCause.DREAM) != self._life.asleep:
            self._pace.overdue = ''
            self._plan(self._life.at)

    def _shift(self, seconds: float) -> None:
        """The clock was set back: time goes on from now, and nothing waits for the future."""
        self._being.shift(seconds)
        self._pace.shift(seconds)
        self._wakes.shift(seconds)
        self._reflexes.shift(seconds)
        self._tell_at += seconds
        self._page_at += seconds

    # --- what holds between two signals ---------------------------------------------------

    @property
    def _idle(self) -> bool:
        return self._wakes.open is None and not (self._around.busy or self._around.dreaming)

    @property
    def _wakeable(self) -> bool:
        """Whether she may wake by herself now."""
        return self._idle and self._around.inhibition > 0.0

    def _plan(self, now: float) -> None:
        """Find anew when she wakes by herself."""
        pace = self._pace
        if not self._idle or pace.overdue:
            pace.pause()
        elif pace.samples:
            pace.sample(self._being.course(), now)
        elif self._around.inhibition > 0.0:
            since = pace.asleep_since
            hour = self._being.clock.hour(now if math.isnan(since) else since)
            pace.interval(now, hour, self._around.energy, self._around.arousal)
        else:
            pace.pause()

    def _changed(self, now: float) -> Iterable[Any]:
        """Go on from a new state: every change of state changes when she wakes."""
        wake = self._wakes.open
        self._being.feel(wake is not None and not is_dream(wake))
        self._plan(now)
        yield self._tell(now)

    # --- waking ---------------------------------------------------------------------------

    def _wake(
        self,
        now: float,
        causes: Iterable[str] = (),
        reasons: Iterable[str] = (),
        events: Iterable[SenseEvent] = (),
    ) -> Iterable[Any]:
        """Wake her, with everybody who waits; she has lived until now."""
        yield from self._reserve()
        causes, reasons = list(causes), list(reasons)
        message_ids: list[str] = []
        if WakeCause.DREAM not in causes:
            called, why, message_ids = self._callers.take()
            causes, reasons = [*causes, *called], [*reasons, *why]
            self._being.woken(now)
        self._pace.woken()
        rate = self._being.course().rate(self._life.at)
        wake = self._wakes.wake(causes, reasons, now, rate, message_ids, events)
        self._callers.carry(wake.id)
        if message_ids:  # somebody waits: how she feels follows
            yield wake
            yield from self._changed(now)
        else:
            yield from self._changed(now)
            yield wake
        yield Save()

    def _reserve(self) -> Iterable[Any]:
        """Make sure that no number is used before the disk knows that it may be.

        Raises
        ------
        OSError
            If the memory cannot be written: then she cannot wake.
        """
        if self._wakes.must_reserve:
            self._wakes.reserve()
            try:
                yield Save()
            except OSError:
                self._wakes.unreserve()
                raise

    def _dream_reasons(self, cause: str) -> list[str]:
        if cause != WakeCause.DREAM:
            return []
        return [f'{self._being.unconsolidated:g} wakings and talks not dreamt over yet']

    def _answer_callers(self, now: float) -> Iterable[Any]:
        if self._callers.waiting and not (self._around.halted or self._around.busy):
            yield from self._wake(now)

    def on_knock(self, knock: Knock, now: float) -> Iterable[Any]:
        """Somebody is at the door."""
        if self._wakes.open is not None and knock.message_id in self._wakes.open.message_ids:
            return
        self._live(now)
        new = self._callers.knock(knock)
        if new:
            self._being.nudge(acts.MESSAGE)
        if not (self._around.halted or self._around.busy):
            yield from self._wake(now)
        elif new:
            yield from self._changed(now)

    def on_sense_event(self, event: SenseEvent, now: float) -> Iterable[Any]:
        """The body noticed something."""
        kind = self._being.tables.event(event.kind)
        self._live(now)
        if not self._reflexes.felt(event.kind, now, kind.refractory_seconds):
            return
        self._reflexes.limit(now)
        # lifting her moves her first: that is one event, whichever of the two is told
        if not kind.as_one or self._reflexes.first(kind.as_one, now):
            self._being.nudge(event.kind)
        heavy = event.trusted and kind.weight >= self._config.heavy_event
        if heavy and kind.weight > 0.0 and self._around.startles:
            reason = event.detail or event.kind.replace('_', ' ')
            yield from self._wake(now, [WakeCause.SENSE], [reason], [event])
        else:
            yield from self._changed(now)

    def on_field_event(self, event: FieldEvent, now: float) -> Iterable[Any]:
        """A surprise between two ticks wakes her; what her own tick brings does not."""
        if not event.between_ticks:
            return
        broken = event.kind == FieldEventKind.BROKEN
        surprised = event.kind == FieldEventKind.SURPRISED
        if not broken and not (surprised and event.magnitude >= self._config.surprise_at):
            return
        self._live(now)
        if self._around.startles and self._reflexes.felt(f'field/{event.kind}', now):
            yield from self._wake(now, [WakeCause.SURPRISE], [event.text or event.kind])

    def serve_nudge(self, request: NudgeRequest, now: float) -> tuple[NudgeAnswer, Iterable[Any]]:
        """Wake her, for a reason; in mid-turn as soon as that has ended."""
        refusal = self._callers.refuse(request.reason)
        if not refusal and self._around.halted:
            refusal = 'she is stopped or paused; resume her first'
        if refusal:
            return NudgeAnswer(False, refusal), ()
        self._live(now)
        reason, open_wake = request.reason.strip(), self._wakes.open
        new = self._callers.nudge(reason, request.by)
        if new and not (open_wake is not None and reason in open_wake.reasons):
            self._being.nudge(acts.NUDGE)
        # Written down before it is answered: an accepted nudge is never dropped.
        return NudgeAnswer(True), [Save()] if self._around.busy else self._wake(now)

    def serve_rest(self, request: RestRequest, now: float) -> tuple[RestAnswer, Iterable[Any]]:
        """Let her rest."""
        longest = self._config.longest_rest_minutes
        if not 0.0 <= request.minutes <= longest:
            reason = f'minutes is {request.minutes:g}, allowed is 0 to {longest:g}'
            return RestAnswer(False, reason), ()
        self._live(now)
        self._rest(request.minutes, now, forced=True)
        return RestAnswer(True), [*self._changed(now), Save()]

    def _rest(self, minutes: float, now: float, forced: bool = False) -> None:
        granted = self._being.rest(minutes, now)
        if not self._pace.samples:
            self._pace.sleep(now, granted, forced)

    # --- what the others do ---------------------------------------------------------------

    def on_mind_state(self, state: MindState, now: float) -> Iterable[Any]:
        """Learn which wake has begun; catch up with a turn that was missed."""
        self._live(now)
        before, self._around.mind = self._around.mind, state
        if self._wakes.begun(state.begun):
            yield Save()
        elif state.phase == Phase.IDLE:
            self._wakes.hurry(now)
        yield from self.on_turn(state.last_turn, now)
        if before is None or _pulse(before) != _pulse(state):
            yield from self._changed(now)
        yield from self._answer_callers(now)

    def on_turn(self, turn: Turn, now: float) -> Iterable[Any]:
        """A waking has ended: what it did is felt, once, however often and late it is told."""
        if self._being.turns.known(turn):
            return
        self._live(now)
        self._wakes.begun(turn.wake)  # it may be told before the state that says so
        self._callers.seen(turn.messages_seen)
        self._callers.lived(turn.wake, turn.outcome == Outcome.SLEPT)
        if self._being.lived(turn, self._wakes.dream):
            self._rest(turn.rest_minutes if turn.rest_requested else 0.0, now)
        yield from self._changed(now)
        yield Save()
        self._show(now)

    def on_body_state(self, state: BodyState, now: float) -> Iterable[Any]:
        """Feel the body."""
        self._live(now)
        before = self._around.factors
        self._around.body = state
        if self._life.light(state.illuminance) or self._around.factors != before:
            yield from self._changed(now)

    def on_view(self, view: View, now: float) -> Iterable[Any]:
        """See how aroused she is; a field that has just come may have missed a wake."""
        if self._wakes.open is not None and newer(self._wakes.open.id, view.wake):
            self._wakes.hurry(now)
        arousal = min(1.0, max(0.0, view.arousal))
        if arousal != self._around.arousal:  # never true of NaN: min and max let none through
            self._live(now)
            self._around.arousal = arousal
            yield from self._changed(now)

    def on_energy(self, energy: Energy, now: float) -> Iterable[Any]:
        """Feel how much is left."""
        self._live(now)
        before, self._around.energy = self._around.energy, energy
        if before is None or (before.level, before.spent) != (energy.level, energy.spent):
            yield from self._changed(now)

    def on_guard_state(self, state: GuardState, now: float) -> Iterable[Any]:
        """Stopped or resumed: on resume one merged wake for all who knocked."""
        self._live(now)
        before, self._around.guard = self._around.guard, state
        if before is None or (before.stopped, before.paused) != (state.stopped, state.paused):
            yield from self._changed(now)
        yield from self._answer_callers(now)

    def on_silence(self, topic: str, now: float) -> Iterable[Any]:
        """Without a mind nothing can be lived; without a guard its word is void."""
        self._live(now)
        if topic == 'mind/state':
            self._around.mind = None
        else:
            self._around.guard = None
        yield from self._changed(now)
        yield from self._answer_callers(now)

    # --- out ------------------------------------------------------------------------------

    def _tell(self, now: float) -> HeartState:
        self._tell_at = now + self._config.state_seconds
        self._told_asleep = self._life.asleep
        return self.state(now)

    def state(self, now: float) -> HeartState:
        """The heart's state as it is published."""
        return picture(
            now,
            self._life,
            self._being.influence(),
            self._around.factors,
            self._being.words,
            self._wakes,
            self._being.rest_until,
        )

    def _show(self, now: float) -> None:
        """Write the page for people."""
        self._page_at = now + PAGE_SECONDS
        if self._write_page is None:
            return
        try:
            self._write_page(page(self.state(now), self._being.clock))
        except OSError as error:  # it is for people only, and she lives on without
            self._page_trouble = str(error)
        else:
            self._page_trouble = ''

    def memory(self) -> HeartMemory:
        """Return what must survive."""
        being = self._being
        held = self._around.inhibition if self._idle else 0.0
        return HeartMemory(
            life=being.life.memory(),
            turns=being.turns.memory(),
            pace=self._pace.memory(),
            wakes=self._wakes.memory(),
            callers=self._callers.memory(),
            arousal=self._around.arousal,
            unconsolidated=being.unconsolidated,
            rest_until=being.rest_until,
            rest_minutes=being.rest_minutes,
            held=(held, self._around.stir),
        )

    def health(self, now: float) -> Health:
        """How the heart is."""
        course = self._being.course()
        values = {
            'rate per hour': f'{course.rate(self._life.at):.3f}',
            'asleep': str(self._life.asleep),
            'wake open': str(self._wakes.open is not None),
            'last wake': str(self._wakes.last.sequence),
        }
        if self._pace.exceeded:
            values['bounds exceeded'] = str(self._pace.exceeded)
            return Health('error', 'a wake rate was above its bound', values)
        if self._page_trouble:
            return Health('warn', f'her page cannot be written: {self._page_trouble}', values)
        return Health(values=values)


def _pulse(state: MindState) -> tuple[Any, ...]:
    """What of the mind's state the heart goes by."""
    return state.model_available, state.open_loops, state.phase, state.begun
