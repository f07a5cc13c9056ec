"""The guard: whether she may, and the one way to do it."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from soul.guard import gaze
from soul.guard.acts import Acts
from soul.guard.audit import Audit
from soul.guard.config import GuardConfig
from soul.guard.energy import Ledger
from soul.guard.permissions import GAZE, REST, SPEECH, refusal
from soul.organ import Answer, Ask, CancelAsk, Health, Organ, Save
from soul.signals import (
    Act,
    ActState,
    AuthorizeAnswer,
    AuthorizeRequest,
    CaptureAnswer,
    CaptureRequest,
    DecideAnswer,
    DecideRequest,
    Energy,
    GuardState,
    LookAnswer,
    LookAtGoal,
    LookRequest,
    MindState,
    ReceiptAnswer,
    ReceiptRequest,
    RestRequest,
    SayGoal,
    SayState,
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

#: Acts shown in guard/state.
RECENT = 8
#: A grant that is not used within this is void, s.
GRANT_SECONDS = 120.0
SENTENCE_LIMIT = 2000


class Guard(Organ):
    """Pure logic of the guard; see :mod:`soul.organ` for the form.

    Parameters
    ----------
    audit
        The database it alone writes.
    stop_file
        Reads and writes the STOP file: called with a reason to write it, with None to remove
        it.
    stopped
        Whether the STOP file is there now.
    """

    hears = {'mind/turn': Turn, 'mind/state': MindState}
    says = {'guard/act': Act, 'guard/energy': Energy, 'guard/state': GuardState}
    serves = {
        'speak': SpeakRequest,
        'look': LookRequest,
        'sleep': SleepRequest,
        'stop': TriggerRequest,
        'resume': TriggerRequest,
        'pause': SetBoolRequest,
        'guard/authorize': AuthorizeRequest,
        'guard/receipt': ReceiptRequest,
        'guard/decide': DecideRequest,
    }
    asks = {
        'body/say': SayGoal,
        'body/look_at': LookAtGoal,
        'body/capture': CaptureRequest,
        'body/halt': TriggerRequest,
        'heart/rest': RestRequest,
    }
    memory_file = 'guard.json'

    def __init__(
        self,
        config: GuardConfig,
        rng: random.Random,
        audit: Audit,
        stop_file: Callable[[str | None], None],
        stopped: str | None = None,
        memory: Mapping[str, Any] | None = None,
    ) -> None:
        memory = memory or {}
        self._config = config
        self._audit = audit
        self._stop_file = stop_file
        self._acts = Acts(audit)
        self._ledger = Ledger(config, memory.get('ledger'))
        self._epoch = rng.getrandbits(48) | 1
        self._stopped = stopped is not None
        self._reason = stopped or ''
        self._stop_epoch: int = memory.get('stop_epoch', 0)
        self._paused: bool = memory.get('paused', False)
        self._grants: dict[str, float] = {}  # act id -> until
        self._looks: dict[str, LookRequest] = {}

    def memory(self) -> Mapping[str, Any]:
        """What must survive."""
        return {
            'ledger': self._ledger.memory(),
            'stop_epoch': self._stop_epoch,
            'paused': self._paused,
        }

    # --- time -----------------------------------------------------------------------------

    def start(self, now: float) -> Iterable[Any]:
        """Say what is in doubt, and whether she may act."""
        self._ledger.renew(now)
        yield from self._acts.recover(now)
        yield self._ledger.energy(now)
        yield self.state(now)
        yield Save()

    def due(self) -> float:
        """When a new day of energy begins or a grant runs out."""
        return min([self._ledger.resets_at, *self._grants.values()])

    def step(self, now: float) -> Iterable[Any]:
        """Renew her energy, let grants run out."""
        if self._ledger.renew(now):
            yield self._ledger.energy(now)
            yield Save()
        for act_id in [i for i, until in self._grants.items() if until <= now]:
            del self._grants[act_id]
            # Granted and never reported: whoever had the grant may have acted.
            yield from self._end(act_id, ActState.UNCERTAIN, now, detail='no receipt came')

    # --- acting ---------------------------------------------------------------------------

    def _hindrance(self, category: str) -> str:
        if self._stopped:
            return f'stopped ({self._reason}); nothing acts until resume'
        if self._paused:
            return 'paused'
        return refusal(self._config, category)

    def _deny(
        self, what: str, by: str, session: str, text: str, why: str, now: float
    ) -> Iterable[Any]:
        yield self._acts.refuse(what, by, session, text, why, now)
        yield self.state(now)

    def _end(self, act_id: str, state: str, now: float, **changes: Any) -> Iterable[Any]:
        act = self._acts.move(act_id, state, now, **changes)
        if act is not None:
            yield act
            yield self.state(now)

    def serve_speak(self, request: SpeakRequest, now: float) -> tuple[SpeakAnswer, Iterable[Any]]:
        """Say something aloud, if she may."""
        text = request.text.strip()
        why = self._hindrance(SPEECH)
        if not text:
            return SpeakAnswer(False, '', 'there is nothing to say'), ()
        if len(text) > SENTENCE_LIMIT:
            why = f'the text has {len(text)} characters, allowed are {SENTENCE_LIMIT}'
        if why:
            denied = self._deny('speak', request.by, request.session, text, why, now)
            return SpeakAnswer(False, '', why), denied
        act = self._acts.begin('speak', request.by, request.session, text, now)
        goal = SayGoal(act_id=act.id, text=text, emotion=request.emotion)
        ask = Ask('body/say', goal, act.id, self._config.say_seconds)
        executing = self._acts.move(act.id, ActState.EXECUTING, now)
        return SpeakAnswer(True, act.id), [executing, ask]

    def serve_look(self, request: LookRequest, now: float) -> tuple[LookAnswer, Iterable[Any]]:
        """Look somewhere, if she may."""
        what = request.direction or request.question or 'a point'
        why = self._hindrance(GAZE)
        goal = gaze.goal(request)
        if isinstance(goal, str):
            why = why or goal
        if isinstance(goal, str) or why:
            return LookAnswer(False, '', why), self._deny(
                'look', request.by, request.session, what, why, now
            )
        act = self._acts.begin('look', request.by, request.session, what, now)
        self._looks[act.id] = request
        executing = self._acts.move(act.id, ActState.EXECUTING, now)
        if goal is None:
            return LookAnswer(True, act.id), [executing, self._capture(act.id, request)]
        goal = dataclasses.replace(goal, act_id=act.id)
        ask = Ask('body/look_at', goal, act.id, self._config.look_seconds)
        return LookAnswer(True, act.id), [executing, ask]

    def _capture(self, act_id: str, request: LookRequest) -> Ask:
        question = CaptureRequest(request.question)
        return Ask('body/capture', question, act_id, self._config.look_seconds)

    def serve_sleep(self, request: SleepRequest, now: float) -> tuple[SleepAnswer, Iterable[Any]]:
        """Send her to sleep, from outside."""
        why = self._hindrance(REST)
        if not 0.0 <= request.minutes <= 240.0:
            why = f'minutes is {request.minutes:g}, allowed is 0 to 240'
        if why:
            denied = self._deny('sleep', request.by, '', request.because, why, now)
            return SleepAnswer(False, '', why), denied
        act = self._acts.begin('sleep', request.by, '', request.because, now)
        rest = RestRequest(minutes=request.minutes, forced=True, reason=request.because)
        executing = self._acts.move(act.id, ActState.EXECUTING, now)
        return SleepAnswer(True, act.id), [executing, Ask('heart/rest', rest, act.id)]

    def on_answer(self, answer: Answer, now: float) -> Iterable[Any]:
        """Write down how an act went."""
        if answer.to == 'body/halt':
            return
        act_id, result = answer.token, answer.answer
        if answer.failure in ('absent', 'refused'):
            missing = 'no body is there' if answer.failure == 'absent' else 'the body refused'
            self._looks.pop(act_id, None)
            yield from self._end(act_id, ActState.FAILED, now, detail=missing)
        elif result is None:
            self._looks.pop(act_id, None)
            yield from self._end(
                act_id, ActState.UNCERTAIN, now, detail='the body gave no answer in time'
            )
        elif answer.to == 'body/say':
            state = {SayState.DONE: ActState.DONE, SayState.UNCERTAIN: ActState.UNCERTAIN}.get(
                result.outcome, ActState.FAILED
            )
            yield from self._conclude(act_id, state, result.reason, now)
        elif answer.to == 'body/look_at':
            yield from self._looked(act_id, result.ok, result.reason, now)
        elif isinstance(result, CaptureAnswer):
            images = (result.image,) if result.image.data else ()
            state = ActState.DONE if result.ok else ActState.FAILED
            detail = (result.text or 'a picture') if result.ok else result.reason
            yield from self._conclude(act_id, state, detail, now, images)
        else:
            state = ActState.DONE if result.accepted else ActState.FAILED
            yield from self._conclude(act_id, state, result.reason, now)

    def _looked(self, act_id: str, ok: bool, reason: str, now: float) -> Iterable[Any]:
        request = self._looks.pop(act_id, None)
        if not ok:
            yield from self._end(act_id, ActState.FAILED, now, detail=reason)
        elif request is not None and (request.capture or request.question):
            yield self._capture(act_id, request)
        else:
            yield from self._conclude(act_id, ActState.DONE, reason, now)

    def _conclude(
        self, act_id: str, state: str, detail: str, now: float, images: tuple[Any, ...] = ()
    ) -> Iterable[Any]:
        receipt = act_id if state == ActState.DONE else ''
        return self._end(act_id, state, now, detail=detail, receipt=receipt, images=images)

    # --- grants ---------------------------------------------------------------------------

    def serve_authorize(
        self, request: AuthorizeRequest, now: float
    ) -> tuple[AuthorizeAnswer, Iterable[Any]]:
        """Grant one act that the asker executes itself."""
        why = self._hindrance(request.category)
        if why:
            denied = self._deny(
                request.what, request.by, request.session, request.summary, why, now
            )
            return AuthorizeAnswer(reason=why), denied
        act = self._acts.begin(request.what, request.by, request.session, request.summary, now)
        executing = self._acts.move(act.id, ActState.EXECUTING, now)
        until = self._grants[act.id] = now + GRANT_SECONDS
        return AuthorizeAnswer(True, False, act.id, until), [executing, self.state(now)]

    def serve_receipt(
        self, request: ReceiptRequest, now: float
    ) -> tuple[ReceiptAnswer, Iterable[Any]]:
        """Take the receipt for a grant; the first one counts."""
        if request.state not in (ActState.DONE, ActState.FAILED, ActState.UNCERTAIN):
            return ReceiptAnswer(
                False, f'state is {request.state!r}, allowed is done, failed or uncertain'
            ), ()
        if self._grants.pop(request.act_id, None) is None:
            return ReceiptAnswer(False, f'there is no open grant {request.act_id}'), ()
        return ReceiptAnswer(True), self._end(
            request.act_id, request.state, now, detail=request.detail, receipt=request.receipt
        )

    def serve_decide(
        self, request: DecideRequest, now: float
    ) -> tuple[DecideAnswer, Iterable[Any]]:
        """Nothing is ever pending while `ask` means no."""
        return DecideAnswer(False, f'nothing pending has the id {request.id!r}'), ()

    # --- stopping -------------------------------------------------------------------------

    def serve_stop(
        self, request: TriggerRequest, now: float
    ) -> tuple[TriggerAnswer, Iterable[Any]]:
        """Stop everything, at once and always."""
        return TriggerAnswer(True, 'stopped; `resume` ends it'), self.stop_now('stop', now)

    def stop_now(self, reason: str, now: float, write: bool = True) -> Iterable[Any]:
        """Stop; the state goes out before anything is written."""
        if self._stopped:
            yield self.state(now)
            return
        self._stopped, self._reason = True, reason
        self._stop_epoch += 1
        yield self.state(now)
        yield Ask('body/halt', TriggerRequest(), 'halt', 1.0)
        if write:
            self._stop_file(reason)
        for act in self._acts.open:
            yield CancelAsk(act.id)
        self._audit.note(now, 'stop', str(self._stop_epoch), {'reason': reason})
        yield Save()

    def serve_resume(
        self, request: TriggerRequest, now: float
    ) -> tuple[TriggerAnswer, Iterable[Any]]:
        """End the stop."""
        if not self._stopped:
            return TriggerAnswer(True, 'she was not stopped'), ()
        return TriggerAnswer(True, 'resumed'), self.resume_now('resume', now)

    def resume_now(self, reason: str, now: float) -> Iterable[Any]:
        """Let her act again."""
        self._stop_file(None)
        self._stopped, self._reason = False, ''
        self._audit.note(now, 'resume', str(self._stop_epoch), {'reason': reason})
        yield self.state(now)
        yield Save()

    def on_stop_file(self, content: str | None, now: float) -> Iterable[Any]:
        """The STOP file appeared (its content) or went (None)."""
        if content is not None and not self._stopped:
            return self.stop_now(content.strip() or 'STOP file', now, write=False)
        if content is None and self._stopped:
            return self.resume_now('STOP file removed', now)
        return ()

    def serve_pause(
        self, request: SetBoolRequest, now: float
    ) -> tuple[SetBoolAnswer, Iterable[Any]]:
        """Pause: she keeps still and is not woken, but nothing is aborted."""
        self._paused = request.data
        self._audit.note(now, 'pause', '', {'paused': request.data})
        return SetBoolAnswer(True, 'paused' if request.data else 'goes on'), [
            self.state(now),
            Save(),
        ]

    # --- counting -------------------------------------------------------------------------

    def on_turn(self, turn: Turn, now: float) -> Iterable[Any]:
        """Write a turn into the audit, once."""
        ref = f'{turn.epoch}/{turn.sequence}'
        if not self._audit.noted('turn', ref):
            plain = dataclasses.asdict(turn)
            plain['calls'] = [
                {k: v for k, v in call.items() if v not in ('', 0.0)} for call in plain['calls']
            ]
            self._audit.note(now, 'turn', ref, plain)
        return ()

    def on_mind_state(self, state: MindState, now: float) -> Iterable[Any]:
        """Count what she has used."""
        if state.last_turn.sequence:
            yield from self.on_turn(state.last_turn, now)
        if self._ledger.count(state):
            yield self._ledger.energy(now)
            yield Save()

    def state(self, now: float) -> GuardState:
        """The guard's state as it is published."""
        return GuardState(
            stamp=now,
            epoch=self._epoch,
            stopped=self._stopped,
            stop_epoch=self._stop_epoch,
            stop_reason=self._reason,
            paused=self._paused,
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
        }
        if self._stopped:
            return Health('warn', f'stopped: {self._reason}', values)
        return Health(values=values)
