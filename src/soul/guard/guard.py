"""The guard: whether she may, and the one way to do it."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable

from soul.core.organ import Answer, CancelAsk, Health, Organ, Save, SaveSoon
from soul.core.output import Outputs
from soul.guard.acts import Acts
from soul.guard.audit import Audit
from soul.guard.body_acts import BodyActs
from soul.guard.config import GuardConfig
from soul.guard.emergency_stop import EmergencyStop
from soul.guard.energy import EnergyLedger
from soul.guard.grants import Grants
from soul.guard.memory import GuardMemory
from soul.guard.permissions import refusal
from soul.signals import (
    Act,
    AuthorizeAnswer,
    AuthorizeRequest,
    CaptureRequest,
    DecideAnswer,
    DecideRequest,
    Energy,
    GuardState,
    LookAnswer,
    LookAtGoal,
    LookRequest,
    MindState,
    ModelCall,
    ReceiptAnswer,
    ReceiptRequest,
    RestRequest,
    SayGoal,
    SetBoolAnswer,
    SetBoolRequest,
    SleepAnswer,
    SleepRequest,
    SpeakAnswer,
    SpeakRequest,
    TriggerAnswer,
    TriggerRequest,
    Turn,
)

#: What could not be written is tried again after this, s.
RETRY_SECONDS = 2.0
#: Her energy is told at least this often, s: what somebody else has said on its topic, or what
#: was missed, holds no longer than that.
TELL_SECONDS = 300.0
#: Acts shown in guard/state.
RECENT = 8


class Guard(Organ):
    """Pure logic of the guard; see :mod:`soul.core.organ` for the form.

    Parameters
    ----------
    audit
        The database it alone writes.
    stop_file, stopped
        As in :class:`soul.guard.emergency_stop.EmergencyStop`.
    """

    hears = {'mind/turn': Turn, 'mind/state': MindState, 'mind/call': ModelCall}
    says = {'guard/act': Act, 'guard/energy': Energy, 'guard/state': GuardState}
    serves = {
        'speak': SpeakRequest,
        'look': LookRequest,
        'sleep': SleepRequest,
        'resume': TriggerRequest,
        'pause': SetBoolRequest,
        'guard/authorize': AuthorizeRequest,
        'guard/receipt': ReceiptRequest,
        'guard/decide': DecideRequest,
    }
    performs = {'stop': TriggerRequest}
    asks = {
        'body/say': SayGoal,
        'body/look_at': LookAtGoal,
        'body/capture': CaptureRequest,
        'body/halt': TriggerRequest,
        'heart/rest': RestRequest,
    }
    memory_file = 'guard.json'
    memory_type = GuardMemory

    def __init__(
        self,
        config: GuardConfig,
        rng: random.Random,
        audit: Audit,
        stop_file: Callable[[str | None], None],
        stopped: str | None = None,
        memory: GuardMemory | None = None,
    ) -> None:
        self._config = config
        self._audit = audit
        self._acts = Acts(audit)
        self._ledger = EnergyLedger(config, memory.ledger if memory else None)
        self._epoch = rng.getrandbits(48) | 1
        self._retry_at = -math.inf
        self._tell_at = math.inf  # when her energy is told again
        self._stop = EmergencyStop(self._acts, audit, stop_file, stopped, self.state, memory)
        self._body = BodyActs(config, self._acts, self._hindrance, self.state)
        self._grants = Grants(self._acts, self._body)

    def memory(self) -> GuardMemory:
        """Return what must survive; whether she is stopped is the affair of the STOP file."""
        return GuardMemory(
            self._ledger.memory(), self._stop.epoch, self._stop.paused, *self._audit.head
        )

    def _hindrance(self, category: str) -> str:
        return self._stop.hindrance() or refusal(self._config, category)

    # --- time -----------------------------------------------------------------------------

    def start(self, now: float) -> Outputs:
        """Say what is in doubt, and whether she may act."""
        self._ledger.renew(now)
        yield from self._acts.recover(now)
        self._tell_at = now + TELL_SECONDS
        yield self._ledger.energy(now)
        yield self.state(now)
        yield Save()

    def stop(self, now: float) -> Outputs:
        """End what the body is at for her; how that ended is still written down."""
        for act in self._acts.open:
            yield CancelAsk(act.id)

    def due(self) -> float:
        """When a new day of energy begins, a grant runs out or something can be written anew."""
        owed = self._retry_at if self._audit.trouble or self._stop.unwritten else math.inf
        others = (self._grants.due(), self._stop.due(), self._tell_at)
        return min(self._ledger.resets_at, owed, *others)

    def step(self, now: float) -> Outputs:
        """Renew her energy, let grants run out, write what could not be written before."""
        if now >= self._retry_at and (self._audit.trouble or self._stop.unwritten):
            self._retry_at = now + RETRY_SECONDS
            if self._stop.unwritten:
                yield from self._stop.write()
            if self._audit.retry(now):
                yield self.state(now)
        renewed = self._ledger.renew(now)
        set_back = self._tell_at > now + 2 * TELL_SECONDS
        if renewed or now >= self._tell_at or set_back:
            self._tell_at = now + TELL_SECONDS
            yield self._ledger.energy(now)
        if renewed:
            yield Save()
        yield from self._grants.expire(now)
        yield from self._stop.settle(now)

    # --- acting ---------------------------------------------------------------------------

    def serve_speak(self, request: SpeakRequest, now: float) -> tuple[SpeakAnswer, Outputs]:
        """Say something aloud, if she may."""
        return self._body.speak(request, now)

    def serve_look(self, request: LookRequest, now: float) -> tuple[LookAnswer, Outputs]:
        """Look somewhere, if she may."""
        return self._body.look(request, now)

    def serve_sleep(self, request: SleepRequest, now: float) -> tuple[SleepAnswer, Outputs]:
        """Send her to sleep, from outside."""
        return self._body.sleep(request, now)

    def on_answer(self, answer: Answer, now: float) -> Outputs:
        """Write down how an act went."""
        if answer.to == 'body/halt':
            yield from self._stop.on_halted(answer, now)
            return
        yield from self._body.on_answer(answer, now)
        yield from self._stop.settle(now)

    def serve_authorize(
        self, request: AuthorizeRequest, now: float
    ) -> tuple[AuthorizeAnswer, Outputs]:
        """Grant one act that the asker executes itself."""
        return self._grants.authorize(request, self._hindrance(request.category), now)

    def serve_receipt(self, request: ReceiptRequest, now: float) -> tuple[ReceiptAnswer, Outputs]:
        """Take the receipt for a grant."""
        return self._grants.receipt(request, now)

    def serve_decide(self, request: DecideRequest, now: float) -> tuple[DecideAnswer, Outputs]:
        """Nothing is ever pending while `ask` means no."""
        return DecideAnswer(False, f'nothing pending has the id {request.id!r}'), ()

    # --- stopping -------------------------------------------------------------------------

    def perform_stop(self, request: TriggerRequest, handle: str, now: float) -> Outputs:
        """Stop everything, at once and always; the answer says what has confirmed it."""
        return self._stop.stop('stop', now, handle=handle)

    def serve_resume(self, request: TriggerRequest, now: float) -> tuple[TriggerAnswer, Outputs]:
        """End the stop; only a person can, so nothing else calls it."""
        if not self._stop.stopped:
            return TriggerAnswer(True, 'she was not stopped'), ()
        return TriggerAnswer(True, 'resumed'), self._stop.resume('resume', now)

    def on_stop_file(self, content: str | None, now: float) -> Outputs:
        """The STOP file appeared (its content) or went (None)."""
        return self._stop.on_stop_file(content, now)

    def serve_pause(self, request: SetBoolRequest, now: float) -> tuple[SetBoolAnswer, Outputs]:
        """Pause: she keeps still and is not woken, but nothing is aborted."""
        words = 'paused' if request.data else 'goes on'
        return SetBoolAnswer(True, words), self._stop.pause(request.data, now)

    # --- counting -------------------------------------------------------------------------

    def on_turn(self, turn: Turn, now: float) -> Outputs:
        """Write a turn into the audit, once."""
        ref = f'{turn.epoch}/{turn.sequence}'
        if not self._audit.noted('turn', ref):
            plain = dataclasses.asdict(turn)
            plain['calls'] = [
                {k: v for k, v in call.items() if v not in ('', 0.0)} for call in plain['calls']
            ]
            self._audit.note(now, 'turn', ref, plain)
        return ()

    def on_model_call(self, call: ModelCall, now: float) -> Outputs:
        """Write a request to a model into the audit."""
        self._audit.note(now, 'model_call', call.model, dataclasses.asdict(call))
        return ()

    def on_mind_state(self, state: MindState, now: float) -> Outputs:
        """Count what she has used, and see whether she has stopped."""
        yield from self._stop.on_mind(state.phase, now)
        if state.last_turn.sequence:
            yield from self.on_turn(state.last_turn, now)
        renewed = self._ledger.renew(now)  # also if the clock was set back, and step is far away
        if self._ledger.count(state, now) or renewed:
            yield self._ledger.energy(now)
            yield SaveSoon()

    # --- telling --------------------------------------------------------------------------

    def state(self, now: float) -> GuardState:
        """The guard's state as it is published."""
        return GuardState(
            stamp=now,
            epoch=self._epoch,
            stopped=self._stop.stopped,
            stop_epoch=self._stop.epoch,
            stop_reason=self._stop.reason,
            paused=self._stop.paused,
            recent=tuple(
                dataclasses.replace(act, images=()) for act in self._audit.recent(RECENT)
            ),
        )

    def health(self, now: float) -> Health:
        """How the guard is."""
        energy = self._ledger.energy(now)
        values = {
            'open acts': str(len(self._acts.open)),
            'energy': f'{energy.level:.2f}',
            'tokens used': str(energy.tokens_used),
            'states of the mind not believed': str(self._ledger.implausible),
        }
        if self._audit.trouble or self._stop.unwritten:
            trouble = self._audit.trouble or self._stop.unwritten
            values['storage'] = trouble
            return Health('error', f'nothing outward until it can be written: {trouble}', values)
        if self._audit.anomalies:
            return Health('warn', self._audit.anomalies[-1], values)
        if self._stop.stopped and self._stop.unconfirmed:
            told = f'stopped: {self._stop.reason}, but {self._stop.unconfirmed}'
            return Health('error', told, values)
        if self._stop.stopped:
            return Health('warn', f'stopped: {self._stop.reason}', values)
        return Health(values=values)
