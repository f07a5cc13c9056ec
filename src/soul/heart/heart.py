"""The heart: feels drives and the body clock, and decides when she wakes."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from soul.heart import inhibition, rate, sleep
from soul.heart.config import HeartConfig
from soul.heart.drives import EFFECTS, OTHER_EVENT, Drives
from soul.heart.wakes import Wakes, newer
from soul.organ import Health, Organ, Save
from soul.signals import (
    BodyState,
    Drive,
    Energy,
    GuardState,
    HeartState,
    Knock,
    MindState,
    NudgeAnswer,
    NudgeRequest,
    Phase,
    RestAnswer,
    RestRequest,
    SenseEvent,
    SenseKind,
    Turn,
    View,
    Wake,
    WakeCause,
)

#: While she rests, her rate is damped by this; a surge can still wake her.
REST_DAMPING = 0.1
#: How heavy a kind of sense event weighs by itself.
WEIGHTS = {
    SenseKind.PICKED_UP: 0.8,
    SenseKind.TOUCHED: 0.6,
    SenseKind.MOVED: 0.5,
    SenseKind.BODY_LOST: 0.5,
    SenseKind.BODY_BACK: 0.5,
}


class Heart(Organ):
    """Pure logic of the heart; see :mod:`soul.organ` for the form."""

    hears = {
        'door/knock': Knock,
        'body/event': SenseEvent,
        'body/state': BodyState,
        'field/view': View,
        'mind/turn': Turn,
        'mind/state': MindState,
        'guard/energy': Energy,
        'guard/state': GuardState,
    }
    says = {'heart/wake': Wake, 'heart/state': HeartState}
    serves = {'heart/rest': RestRequest, 'heart/nudge': NudgeRequest}
    watches = ('mind/state', 'guard/state')
    memory_file = 'heart.json'

    def __init__(
        self, config: HeartConfig, rng: random.Random, memory: Mapping[str, Any] | None = None
    ) -> None:
        memory = memory or {}
        self._config = config
        self._rng = rng
        self._zone = ZoneInfo(config.timezone) if config.timezone else None
        self._drives = Drives(memory.get('drives'))
        self._pressure: float = memory.get('pressure', 0.2)
        self._asleep: bool = memory.get('asleep', False)
        self._unconsolidated: int = memory.get('unconsolidated', 0)
        self._rest_until: float = memory.get('rest_until', 0.0)
        self._lived_until: float = memory.get('lived_until', math.nan)
        self._turn: tuple[int, int] = tuple(memory.get('turn', (0, 0)))  # type: ignore[assignment]
        self._wakes = Wakes(config.resend_seconds, rng, memory.get('wakes'))
        self._knocks: dict[str, str] = {}  # message id -> sender, not woken for yet
        self._refractory: dict[str, float] = {}
        self._body: BodyState | None = None
        self._energy: Energy | None = None
        self._guard: GuardState | None = None
        self._mind: MindState | None = None
        self._next = math.inf

    # --- time -----------------------------------------------------------------------------

    def start(self, now: float) -> Iterable[Any]:
        """Live through the time since the last life, then go on."""
        if math.isnan(self._lived_until) or self._lived_until > now:
            self._lived_until = now  # a stamp in the future: the clock was set back
        self._wakes.revive(now)
        yield from self._changed(now)
        if self._wakes.must_reserve:
            self._wakes.reserve()
            yield Save()

    def due(self) -> float:
        """When the next wake comes, or an open one is sent again."""
        return min(self._next, self._wakes.resend_at)

    def step(self, now: float) -> Iterable[Any]:
        """Wake her if it is time."""
        again = self._wakes.resend(now)
        if again is not None:
            yield again
        if now >= self._next:
            yield from self._wake(now, [WakeCause.SPONTANEOUS], [])

    def _live(self, now: float) -> None:
        seconds = max(0.0, now - self._lived_until)
        self._drives.live(seconds, self._asleep)
        self._pressure = sleep.live(
            self._pressure,
            seconds,
            self._asleep,
            self._config.rise_hours,
            self._config.fall_hours,
        )
        self._lived_until = now

    def _rate(self, at: float) -> float:
        alert = sleep.alertness(self._pressure, self._circadian(at))
        found = inhibition.factors(self._body, self._energy, self._guard, self._mind)
        held = inhibition.total(found, self._config.activity)
        if at < self._rest_until:
            held *= REST_DAMPING
        return rate.awake_rate(
            self._config.base_rate, self._drives.mean(), self._config.gamma, alert, held
        )

    def _bound(self, left: float, right: float) -> float:
        # Every factor is at most 1 but the knob, and the mean drive at most 1.
        found = inhibition.factors(self._body, self._energy, self._guard, self._mind)
        return self._config.base_rate * inhibition.total(found, self._config.activity)

    def _circadian(self, at: float) -> float:
        return sleep.circadian(sleep.local_hour(at, self._zone), self._config.peak_hour)

    def _changed(self, now: float) -> Iterable[Any]:
        """Sample anew: every change of state changes when she wakes."""
        self._live(now)
        self._next = rate.next_wake(now, self._rate, self._bound, self._rng)
        yield self.state(now)

    # --- waking ---------------------------------------------------------------------------

    def _wake(
        self,
        now: float,
        causes: list[str],
        reasons: list[str],
        events: Iterable[SenseEvent] = (),
    ) -> Iterable[Any]:
        if self._wakes.must_reserve:
            self._wakes.reserve()
            yield Save()
        self._live(now)
        if self._knocks and WakeCause.MESSAGE not in causes:
            causes = [*causes, WakeCause.MESSAGE]
        message_ids, self._knocks = list(self._knocks), {}
        yield self._wakes.wake(causes, reasons, now, self._rate(now), message_ids, events)
        yield from self._changed(now)
        yield Save()

    @property
    def _held(self) -> bool:
        """Whether knocks wait: she is stopped, or in a turn in which she sees them anyway."""
        stopped = self._guard is not None and (self._guard.stopped or self._guard.paused)
        busy = self._mind is not None and self._mind.phase in (Phase.WAKING, Phase.DREAMING)
        return stopped or busy

    def _answer_knocks(self, now: float) -> Iterable[Any]:
        if self._knocks and not self._held:
            senders = dict.fromkeys(self._knocks.values())
            reasons = [f'{sender} is at the door' for sender in senders]
            yield from self._wake(now, [WakeCause.MESSAGE], reasons)

    def on_knock(self, knock: Knock, now: float) -> Iterable[Any]:
        """Somebody is at the door."""
        if self._wakes.open is not None and knock.message_id in self._wakes.open.message_ids:
            return
        self._knocks[knock.message_id] = knock.sender
        yield from self._answer_knocks(now)

    def on_sense_event(self, event: SenseEvent, now: float) -> Iterable[Any]:
        """The body noticed something."""
        self._live(now)
        self._drives.nudge(EFFECTS.get(event.kind, OTHER_EVENT))
        heavy = event.trusted and WEIGHTS.get(event.kind, 0.0) >= self._config.heavy_event
        if heavy and now >= self._refractory.get(event.kind, 0.0) and not self._held:
            self._refractory[event.kind] = now + self._config.refractory_seconds
            yield from self._wake(now, [WakeCause.SENSE], [event.detail or event.kind], [event])
        else:
            yield from self._changed(now)

    def serve_nudge(self, request: NudgeRequest, now: float) -> tuple[NudgeAnswer, Iterable[Any]]:
        """Wake her now, for a reason."""
        if not request.reason.strip():
            return NudgeAnswer(False, 'a nudge needs a reason'), ()
        if self._guard is not None and self._guard.stopped:
            return NudgeAnswer(False, 'she is stopped; resume her first'), ()
        wake = self._wake(now, [WakeCause.OPERATOR], [request.reason])
        return NudgeAnswer(True), wake

    def serve_rest(self, request: RestRequest, now: float) -> tuple[RestAnswer, Iterable[Any]]:
        """Let her rest."""
        if not 0.0 <= request.minutes <= 240.0:
            return RestAnswer(False, f'minutes is {request.minutes:g}, allowed is 0 to 240'), ()
        self._rest(request.minutes, now)
        return RestAnswer(True), [*self._changed(now), Save()]

    def _rest(self, minutes: float, now: float) -> None:
        self._rest_until = now + 60.0 * minutes if minutes > 0.0 else 0.0

    # --- what the others do ---------------------------------------------------------------

    def on_mind_state(self, state: MindState, now: float) -> Iterable[Any]:
        """Learn which wake has begun; catch up with a turn that was missed."""
        before, self._mind = self._mind, state
        self._drives.loops = state.open_loops
        if self._wakes.begun(state.begun):
            yield Save()
        elif state.phase == Phase.IDLE:
            self._wakes.hurry(now)
        if state.last_turn.sequence:
            yield from self.on_turn(state.last_turn, now)
        changed = before is None or (before.model_available, before.open_loops) != (
            state.model_available,
            state.open_loops,
        )
        if changed:
            yield from self._changed(now)
        yield from self._answer_knocks(now)

    def on_turn(self, turn: Turn, now: float) -> Iterable[Any]:
        """A waking has ended: what it did is felt."""
        if (turn.epoch, turn.sequence) == self._turn:
            return
        self._turn = (turn.epoch, turn.sequence)
        self._live(now)
        for message_id in turn.messages_seen:
            self._knocks.pop(message_id, None)
        tokens = turn.tokens_in + turn.tokens_out
        effort = 0.005 if turn.declined else min(0.15, tokens / 2e6 + 0.004 * turn.steps)
        self._pressure = min(1.0, self._pressure + effort)
        self._drives.set('curiosity', 0.3 if turn.declined else 0.2)
        if turn.talk:
            self._drives.nudge({'longing': -0.6, 'expression': -0.3})
        for override in turn.drives:
            self._drives.set(override.name, override.value)
        self._unconsolidated += 1
        self._rest(turn.rest_minutes if turn.rest_requested else 0.0, now)
        yield from self._changed(now)
        yield Save()

    def on_body_state(self, state: BodyState, now: float) -> Iterable[Any]:
        """Feel the body."""
        self._body = state
        return self._changed(now)

    def on_view(self, view: View, now: float) -> Iterable[Any]:
        """See how aroused she is; a field that has just come may have missed a wake."""
        if self._wakes.open is not None and newer(self._wakes.open.id, view.wake):
            self._wakes.hurry(now)
        return ()

    def on_energy(self, energy: Energy, now: float) -> Iterable[Any]:
        """Feel how much is left."""
        spent_before = self._energy is not None and self._energy.spent
        self._energy = energy
        return self._changed(now) if energy.spent != spent_before else ()

    def on_guard_state(self, state: GuardState, now: float) -> Iterable[Any]:
        """Stopped or resumed: on resume one merged wake for all who knocked."""
        before, self._guard = self._guard, state
        if before is None or (before.stopped, before.paused) != (state.stopped, state.paused):
            yield from self._changed(now)
        yield from self._answer_knocks(now)

    def on_silence(self, topic: str, now: float) -> Iterable[Any]:
        """Without a mind nothing can be lived; without a guard its word is void."""
        if topic == 'mind/state':
            self._mind = None
        else:
            self._guard = None
        yield from self._changed(now)
        yield from self._answer_knocks(now)  # nothing holds them any more

    # --- out ------------------------------------------------------------------------------

    def state(self, now: float) -> HeartState:
        """The heart's state as it is published."""
        circadian_now = self._circadian(now)
        found = inhibition.factors(self._body, self._energy, self._guard, self._mind)
        return HeartState(
            stamp=now,
            epoch=self._wakes.epoch,
            drives=tuple(Drive(name, level) for name, level in self._drives.levels.items()),
            mean_drive=self._drives.mean(),
            sleep_pressure=self._pressure,
            circadian=circadian_now,
            alertness=sleep.alertness(self._pressure, circadian_now),
            asleep=self._asleep,
            rate_per_hour=self._rate(now),
            inhibition=inhibition.total(found, self._config.activity),
            inhibited_by=tuple(found),
            rest_until=self._rest_until if self._rest_until > now else 0.0,
            wake_open=self._wakes.open is not None,
            open_wake=self._wakes.open.id if self._wakes.open else self._wakes.last,
            last_wake=self._wakes.last,
            unconsolidated=float(self._unconsolidated),
        )

    def memory(self) -> Mapping[str, Any]:
        """What must survive."""
        return {
            'drives': dict(self._drives.levels),
            'pressure': self._pressure,
            'asleep': self._asleep,
            'unconsolidated': self._unconsolidated,
            'rest_until': self._rest_until,
            'lived_until': self._lived_until,
            'turn': list(self._turn),
            'wakes': self._wakes.memory(),
        }

    def health(self, now: float) -> Health:
        """How the heart is."""
        return Health(
            values={
                'rate per hour': f'{self._rate(now):.3f}',
                'wake open': str(self._wakes.open is not None),
                'last wake': str(self._wakes.last.sequence),
            }
        )
