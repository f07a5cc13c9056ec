"""Acts that the guard itself executes: speaking, looking, going to sleep."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from soul.core.interfaces import LONGEST_REST_MINUTES
from soul.core.organ import Answer, Ask
from soul.core.output import Output, Outputs
from soul.guard import directions
from soul.guard.acts import Acts
from soul.guard.config import GuardConfig
from soul.guard.permissions import GAZE, REST, SPEECH
from soul.signals import (
    ActState,
    CaptureAnswer,
    CaptureRequest,
    GuardState,
    LookAnswer,
    LookAtResult,
    LookRequest,
    RestRequest,
    SayGoal,
    SayResult,
    SayState,
    SleepAnswer,
    SleepRequest,
    SpeakAnswer,
    SpeakRequest,
)

#: Longest sentence, characters.
SENTENCE_LIMIT = 2000
#: What can be said of a goal that a body rejects: ROS gives no reason with it.
REJECTED = 'the body refused and gave no reason; perhaps it is not active'
#: What an action can end as; with anything else nobody knows whether it has ended.
ENDS = ('', 'aborted', 'canceled')


class BodyActs:
    """Intent written, body asked, receipt written.

    Parameters
    ----------
    hindrance
        Says why a category may not act now; empty if it may.
    state
        Makes the guard's state as it is published.
    """

    def __init__(
        self,
        config: GuardConfig,
        acts: Acts,
        hindrance: Callable[[str], str],
        state: Callable[[float], GuardState],
    ) -> None:
        self._config = config
        self._acts = acts
        self._hindrance = hindrance
        self._state = state
        self._looks: dict[str, LookRequest] = {}

    # --- asking the body ------------------------------------------------------------------

    def speak(self, request: SpeakRequest, now: float) -> tuple[SpeakAnswer, Outputs]:
        """Say something aloud, if she may."""
        text = request.text.strip()
        if (known := self._acts.known(request.request_id)) is not None:
            return SpeakAnswer(True, known.id, longest=self._longest(known.text, known.id)), ()
        if not text:
            return SpeakAnswer(False, '', 'there is nothing to say'), ()
        why = self._hindrance(SPEECH)
        if len(text) > SENTENCE_LIMIT:
            why = f'the text has {len(text)} characters, allowed are {SENTENCE_LIMIT}'
        if why:
            denied = self.deny('speak', request.by, request.session, text, why, now)
            return SpeakAnswer(False, '', why), denied
        act = self._acts.begin('speak', request.by, request.session, text, now, request.request_id)
        goal = SayGoal(act_id=act.id, text=text, emotion=request.emotion)
        longest = self._longest(text, act.id)
        ask = Ask('body/say', goal, act.id, longest)
        executing = self._acts.execute(act, now)
        return SpeakAnswer(True, act.id, longest=longest), [executing, ask]

    def _longest(self, text: str, act_id: str) -> float:
        """How long it may take: a body says one thing after the other."""
        others = (act for act in self._acts.open if act.what == 'speak' and act.id != act_id)
        before = sum(len(act.text) for act in others)
        return self._config.say_seconds + (before + len(text)) / self._config.speech_rate

    def look(self, request: LookRequest, now: float) -> tuple[LookAnswer, Outputs]:
        """Look somewhere, if she may."""
        if (known := self._acts.known(request.request_id)) is not None:
            return LookAnswer(True, known.id, longest=2 * self._config.look_seconds), ()
        what = request.direction or request.question or 'a point'
        why = self._hindrance(GAZE)
        goal = directions.goal(request)
        if isinstance(goal, str):
            why = why or goal
        if isinstance(goal, str) or why:
            denied = self.deny('look', request.by, request.session, what, why, now)
            return LookAnswer(False, '', why), denied
        act = self._acts.begin('look', request.by, request.session, what, now, request.request_id)
        executing = self._acts.execute(act, now)
        self._looks[act.id] = request
        if goal is None:
            longest = self._config.look_seconds
            asked: list[Output] = [executing, self._capture(act.id, request)]
            return LookAnswer(True, act.id, longest=longest), asked
        goal = dataclasses.replace(goal, act_id=act.id)
        ask = Ask('body/look_at', goal, act.id, self._config.look_seconds)
        longest = self._config.look_seconds  # to turn, and as long again to take a picture
        longest += self._config.look_seconds if request.capture or request.question else 0.0
        return LookAnswer(True, act.id, longest=longest), [executing, ask]

    def _capture(self, act_id: str, request: LookRequest) -> Ask:
        question = CaptureRequest(request.question)
        return Ask('body/capture', question, act_id, self._config.look_seconds)

    def sleep(self, request: SleepRequest, now: float) -> tuple[SleepAnswer, Outputs]:
        """Send her to sleep, from outside."""
        if (known := self._acts.known(request.request_id)) is not None:
            return SleepAnswer(True, known.id), ()
        why = self._hindrance(REST)
        minutes = request.duration / 60.0
        if not 0.0 <= minutes <= LONGEST_REST_MINUTES:  # the heart may allow less
            why = f'a rest of {minutes:g} minutes: allowed is 0 to {LONGEST_REST_MINUTES:g}'
        if why:
            denied = self.deny('sleep', request.by, '', request.because, why, now)
            return SleepAnswer(False, '', why), denied
        act = self._acts.begin('sleep', request.by, '', request.because, now, request.request_id)
        rest = RestRequest(request.duration, forced=True, reason=request.because)
        executing = self._acts.execute(act, now)
        return SleepAnswer(True, act.id), [executing, Ask('heart/rest', rest, act.id)]

    # --- how it went ----------------------------------------------------------------------

    def on_answer(self, answer: Answer, now: float) -> Outputs:
        """Write down how an act went."""
        act_id, result = answer.token, answer.answer
        if answer.failure in ('absent', 'refused'):
            missing = 'no body is there' if answer.failure == 'absent' else REJECTED
            self._looks.pop(act_id, None)
            yield from self.end(act_id, ActState.FAILED, now, detail=missing)
        elif result is None and answer.failure == 'canceled':
            self._looks.pop(act_id, None)
            unheard = 'called off before the body heard of it'
            yield from self.end(act_id, ActState.FAILED, now, detail=unheard)
        elif result is None or answer.failure not in ENDS:
            self._looks.pop(act_id, None)
            doubt = 'the body gave no answer in time'
            yield from self.end(act_id, ActState.UNCERTAIN, now, detail=doubt)
        elif answer.to == 'body/say':
            state, detail = _said(result, answer.failure)
            yield from self._conclude(act_id, state, detail, now)
        elif answer.to == 'body/look_at':
            yield from self._looked(act_id, *_looked(result, answer.failure), now)
        elif isinstance(result, CaptureAnswer):
            self._looks.pop(act_id, None)
            images = (result.image,) if result.image.data else ()
            state = ActState.DONE if result.ok else ActState.FAILED
            missing = result.reason or 'the body gave no picture and no reason'
            detail = (result.text or 'a picture') if result.ok else missing
            yield from self._conclude(act_id, state, detail, now, images)
        else:
            state = ActState.DONE if result.accepted else ActState.FAILED
            yield from self._conclude(act_id, state, result.reason, now)

    def _looked(self, act_id: str, state: str, reason: str, now: float) -> Outputs:
        request = self._looks.pop(act_id, None)
        if state != ActState.DONE:
            yield from self.end(act_id, state, now, detail=reason)
        elif request is not None and (request.capture or request.question):
            yield self._capture(act_id, request)
        else:
            yield from self._conclude(act_id, ActState.DONE, reason, now)

    def _conclude(
        self, act_id: str, state: str, detail: str, now: float, images: tuple[Any, ...] = ()
    ) -> Outputs:
        receipt = act_id if state == ActState.DONE else ''
        return self.end(act_id, state, now, detail=detail, receipt=receipt, images=images)

    def end(self, act_id: str, state: str, now: float, **changes: Any) -> Outputs:
        """Write down an act's end; nothing if it has ended already."""
        act = self._acts.move(act_id, state, now, **changes)
        if act is not None:
            yield act
            yield self._state(now)

    def deny(self, what: str, by: str, session: str, text: str, why: str, now: float) -> Outputs:
        """Write down what was not allowed."""
        yield self._acts.refuse(what, by, session, text, why, now)
        yield self._state(now)


def _said(result: SayResult, failure: str) -> tuple[str, str]:
    """Judge how speaking went: both the body's word and the end of its action have to say so.

    Returns
    -------
    tuple
        State of the act, and why it is not done.
    """
    if result.outcome == SayState.DONE:
        if not failure:
            return ActState.DONE, result.reason
        return ActState.UNCERTAIN, _contrary(failure, result.reason)
    if result.outcome == SayState.ABORTED:  # it says itself that it was not said
        return ActState.FAILED, result.reason or 'the body broke it off and gave no reason'
    if result.outcome == SayState.UNCERTAIN:
        return ActState.UNCERTAIN, result.reason or 'the body does not know whether it was heard'
    if not result.outcome:
        return ActState.UNCERTAIN, result.reason or 'the body ended it without a word'
    return ActState.UNCERTAIN, f'the body ended it as {result.outcome!r}, which says nothing'


def _looked(result: LookAtResult, failure: str) -> tuple[str, str]:
    """Judge how looking somewhere went, as :func:`_said` does."""
    if result.ok:
        if not failure:
            return ActState.DONE, result.reason
        return ActState.UNCERTAIN, _contrary(failure, result.reason)
    if result.reason:
        return ActState.FAILED, result.reason
    return ActState.UNCERTAIN, 'the body ended it without a word'


def _contrary(failure: str, reason: str) -> str:
    said = f'the body says that it is done, and its action was {failure}'
    return f'{said}: {reason}' if reason else said
