"""Carries utterances to the body: as sound, as text for its own voice, or as words to show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from soul.core.organ import Answer, Ask, CancelAsk, Finish, Progress, Report
from soul.signals import SayFeedback, SayGoal, SayResult, SayState
from soul.stackchan.acts import FaceDisplay
from soul.stackchan.config import StackChanConfig
from soul.stackchan.sounding import SoundSpeech
from soul.stackchan.speech import Speech, Utterance, command_id
from soul.stackchan.transports.commands import HushCommand, SayCommand, TooLong, can
from soul.stackchan.transports.events import ActEnded, Answered
from soul.stackchan.transports.port import BodyPort
from soul.voice.capture import OwnVoice

_LONGEST_ACT = 128
_STATES = {SayState.DONE: 'succeeded'}
#: So long the body may take to confirm that it has played to the end, s.
_CONFIRMED = 10.0
#: The action that somebody else's voice serves, and how long it may take to appear, s.
SPEAKER = 'voice/say'
_THERE = 1.0
UNCONFIRMED = 'all of it was sent and its time has passed, but the body confirms nothing'


class Voice:
    """Carries utterances to the device, each at most once.

    Attributes
    ----------
    sounding
        Speaks for a body that has no voice of its own; None: nothing does.
    own
        Where it is noted when she is to be heard by other means; None: nobody listens.
    """

    def __init__(self, config: StackChanConfig, port: BodyPort, face: FaceDisplay) -> None:
        self.speech = Speech(config)
        self.sounding: SoundSpeech | None = None
        self.own: OwnVoice | None = None
        self._port = port
        self._face = face
        self._count = 0  # utterances in sound
        self._asks_others = config.voice and config.voice_engine == 'action'
        self._asked = ''  # of whom somebody else's voice has been asked
        self._told: set[str] = set()  # why there was no sound; each is said once

    def perform(self, goal: SayGoal, handle: str, now: float) -> Iterator[Any]:
        """Say something."""
        known = self.speech.known(goal)
        if known is not None:
            yield Finish(handle, known, _STATES.get(known.outcome, 'aborted'))
            return
        self.speech.add(handle, goal, now)
        yield Progress(handle, SayFeedback(SayState.ACCEPTED))
        yield from self.pump(now)

    def pump(self, now: float) -> Iterator[Any]:
        """Send the next utterance if the device is free."""
        while self._port.joined and (utterance := self.speech.next()) is not None:
            if utterance.goal.emotion:
                self._face.show(utterance.goal.emotion, now)
            if self._asks_others and not _speaks_itself(self._port):
                yield from self._ask_others(utterance, now)
                return
            if self.sounding is not None and self.sounding.possible:
                self._count += 1
                self.speech.sent(f'sound{self._count}', now)
                self.sounding.begin(utterance.goal.text, now)
                return
            yield from self._send(utterance, now)

    def _ask_others(self, utterance: Utterance, now: float) -> Iterator[Any]:
        """Let whoever serves the action of a voice speak it."""
        self._count += 1
        self.speech.sent(f'asked{self._count}', now)
        utterance.began = now
        self._face.thought(now)
        if self.own is not None:
            self.own.begin(now)
        self._asked = f'voice {utterance.id}'
        yield Ask(SPEAKER, utterance.goal, self._asked, utterance.until - now, _THERE)

    def others_said(self, answer: Answer, now: float) -> Iterator[Any]:
        """Hear how the utterance that somebody else spoke has ended."""
        current = self.speech.current
        if current is None or answer.token != self._asked:
            return
        self._others_over(now)
        if answer.failure in ('absent', 'refused'):  # nothing was spoken: the words are shown
            yield from self._shown(f'nobody serves {SPEAKER} ({answer.failure})', current, now)
        elif isinstance(answer.answer, SayResult):
            yield from self._end(answer.answer.outcome, answer.answer.reason, now)
        else:
            reason = f'{SPEAKER}: {answer.failure or "no answer"}'
            yield from self._end(SayState.UNCERTAIN, reason, now)
        yield from self.pump(now)

    def _others_over(self, now: float) -> None:
        self._asked = ''
        if self.own is not None:
            self.own.end(now)

    def _shown(self, why: str, utterance: Utterance, now: float) -> Iterator[Any]:
        """Show what could not be spoken; each reason is said once."""
        if why not in self._told:
            self._told.add(why)
            yield Report('warning', f'her words are shown, not spoken: {why}')
        yield from self._send(utterance, now)

    def _send(self, utterance: Utterance, now: float) -> Iterator[Any]:
        """Let the body speak the words itself, or show them."""
        goal = utterance.goal
        act, own = goal.act_id, command_id(goal.act_id) if goal.act_id else ''
        if len(act) > _LONGEST_ACT:
            act = command_id(act)
        command = SayCommand(goal.text, own, act)
        if self._port.about is not None and not can(self._port.about.capabilities, command):
            yield from self._end(SayState.ABORTED, 'this body can neither speak nor show it', now)
            return
        try:
            id = self._port.send(command, now)
        except TooLong as error:
            yield from self._end(SayState.ABORTED, f'too long for this body: {error}', now)
            return
        self.speech.sent(id, now)

    def answered(self, answer: Answered, now: float) -> Iterator[Any]:
        """Hear the acknowledgement of the current utterance."""
        if self.sounding is not None and self.sounding.ended_by(answer.id):
            if answer.state in ('nack', 'unanswered'):
                yield from self._over(SayState.UNCERTAIN, UNCONFIRMED, now)
            elif self.sounding.acknowledges:
                yield from self._over(SayState.DONE, self.sounding.why, now)
            return
        utterance = self._current(answer.id)
        if utterance is None:
            return
        if answer.state == 'unanswered':
            yield from self._end(SayState.UNCERTAIN, 'the device did not acknowledge it', now)
        elif answer.state == 'nack':
            yield from self._end(SayState.ABORTED, f'the device refused: {answer.why}', now)
        else:
            utterance.dup = answer.state == 'dup'
            yield from self._playing(utterance, now)
        yield from self.pump(now)

    def done(self, done: ActEnded, now: float) -> Iterator[Any]:
        """Hear that the device has ended an utterance."""
        if self.sounding is not None and self.sounding.ended_by(done.id):
            outcome = SayState.DONE if done.ok else SayState.UNCERTAIN
            yield from self._over(outcome, self.sounding.why or done.why, now)
            return
        utterance = self._current(done.id)
        if utterance is None:
            return
        if not done.sure:
            reason = done.why or 'the device does not know whether it was played'
            yield from self._end(SayState.UNCERTAIN, reason, now)
        elif done.ok:
            yield from self._end(SayState.DONE, done.why, now)
        elif utterance.dup:
            reason = 'the device began it before and does not know how it ended'
            yield from self._end(SayState.UNCERTAIN, reason, now)
        else:
            yield from self._end(SayState.ABORTED, f'the device: {done.why or "failed"}', now)
        yield from self.pump(now)

    def due(self) -> float:
        """When something is due next."""
        sounding = self.sounding.due() if self.sounding is not None else math.inf
        return min(self.speech.due(), sounding)

    def step(self, now: float) -> Iterator[Any]:
        """Send sound that is due; end an utterance of which nothing is heard any more."""
        current = self.speech.current
        if self.sounding is not None and self.sounding.active and current is not None:
            yield from self._sound(self.sounding, current, now)
        if now >= self.speech.due():
            if self.sounding is not None and self.sounding.active and current is not None:
                yield from self._given_up(self.sounding, current, now)
                return
            reason = 'sent, but the device never said that it was played'
            yield from self._end(SayState.UNCERTAIN, reason, now)
            yield from self.pump(now)

    def _sound(self, sounding: SoundSpeech, current: Utterance, now: float) -> Iterator[Any]:
        sounding.step(now)
        if sounding.begun and math.isnan(current.began):
            yield from self._playing(current, now)
        if sounding.failed:  # not a sound of it was made: the words are shown, as ever
            sounding.close(now)
            yield from self._shown(sounding.why, current, now)
            yield from self.pump(now)
            return
        ended = sounding.ended_at
        current.until = sounding.until() if math.isnan(ended) else ended + _CONFIRMED

    def _given_up(self, sounding: SoundSpeech, current: Utterance, now: float) -> Iterator[Any]:
        """Nothing has happened to it for too long."""
        if sounding.begun:
            yield from self._over(SayState.UNCERTAIN, UNCONFIRMED, now)
            return
        sounding.break_off(now)
        yield from self._shown('the voice makes no sound', current, now)
        yield from self.pump(now)

    def stopped(self, why: str, now: float) -> Iterator[Any]:
        """Somebody has stopped what is being spoken."""
        if self.sounding is not None and self.sounding.active:
            yield from self._broken_off(self.sounding, why, now, silent=True)
            yield from self.pump(now)

    def cancel(self, handle: str, now: float) -> Iterator[Any]:
        """Stop saying something."""
        withdrawn = self.speech.withdraw(handle)
        if withdrawn is not None:
            yield Finish(handle, withdrawn, 'canceled')
        current = self.speech.current
        if current is not None and current.handle == handle:
            if self._asked:
                yield CancelAsk(self._asked)
                self._others_over(now)
                yield from self._end(SayState.ABORTED, 'cancelled', now, 'canceled')
            elif self.sounding is not None and self.sounding.active:
                yield from self._broken_off(self.sounding, 'cancelled', now, 'canceled')
            else:
                self._port.send(HushCommand(), now)
                yield from self._end(SayState.ABORTED, 'cancelled', now, 'canceled')
            yield from self.pump(now)

    def end_all(self, outcome: str, reason: str, now: float) -> Iterator[Any]:
        """End what is at the device with `outcome`; what waits has not been said."""
        for handle, result in self.speech.drop(f'not said: {reason}'):
            yield Finish(handle, result, 'aborted')
        if self.sounding is not None and self.sounding.active:
            if outcome == SayState.UNCERTAIN and self.sounding.begun:
                yield from self._over(outcome, _with_words(self.sounding, reason, now), now)
            else:
                yield from self._broken_off(self.sounding, reason, now)
            return
        if self._asked:
            yield CancelAsk(self._asked)
            self._others_over(now)
        yield from self._end(outcome, reason, now)

    def _playing(self, utterance: Utterance, now: float) -> Iterator[Any]:
        utterance.began = now
        self._face.thought(now)
        elapsed = now - utterance.accepted
        yield Progress(utterance.handle, SayFeedback(SayState.PLAYING, elapsed))

    def _broken_off(
        self, sounding: SoundSpeech, why: str, now: float, state: str = '', silent: bool = False
    ) -> Iterator[Any]:
        reason = _with_words(sounding, why, now) if sounding.begun else f'not said: {why}'
        sounding.break_off(now, silent)
        yield from self._end(SayState.ABORTED, reason, now, state)

    def _over(self, outcome: str, reason: str, now: float) -> Iterator[Any]:
        """An utterance in sound is over."""
        if self.sounding is not None:
            self.sounding.break_off(now)
        yield from self._end(outcome, reason, now)
        yield from self.pump(now)

    def _current(self, id: str) -> Utterance | None:
        current = self.speech.current
        return current if current is not None and current.id == id else None

    def _end(self, outcome: str, reason: str, now: float, state: str = '') -> Iterator[Any]:
        ended = self.speech.finish(outcome, reason, now)
        if ended is not None:
            handle, result = ended
            yield Finish(handle, result, state or _STATES.get(outcome, 'aborted'))


def _speaks_itself(port: BodyPort) -> bool:
    return port.about is not None and 'tts' in port.about.capabilities


def _with_words(sounding: SoundSpeech, why: str, now: float) -> str:
    spoken = sounding.spoken(now)
    return f'{why}; heard of it was: “{spoken}”' if spoken else f'{why}; no word of it was heard'
