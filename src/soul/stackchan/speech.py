"""Utterances, each at most once.

An utterance is sent once to the device and never again in another session. From the moment it
has been sent until the device says how it ended, losing the link leaves it uncertain: it may
have been heard. The same act id is never sent twice while the driver lives, and the device is
told the act id, so that it can refuse what it has said in an earlier life of either.
"""

from __future__ import annotations

import hashlib
import math
from collections import deque
from dataclasses import dataclass

from soul.core.bounded import BoundedDict
from soul.signals import SayGoal, SayResult, SayState
from soul.stackchan.config import StackChanConfig
from soul.voice.own_words import is_own

#: Utterances that may wait for their turn.
QUEUE = 4
#: Results of utterances that are kept.
REMEMBERED = 512

_RECENT = 8  # own utterances that an echo is compared with


def command_id(act_id: str) -> str:
    """Id of the command for an act: the same one for the same act, 16 characters."""
    return hashlib.sha256(act_id.encode('utf-8', 'replace')).hexdigest()[:16]


@dataclass
class Utterance:
    """One utterance on its way."""

    handle: str
    goal: SayGoal
    accepted: float
    id: str = ''  # of the command; empty until it is sent
    began: float = math.nan  # when the device acknowledged it
    until: float = math.inf  # its end must have been told by then
    dup: bool = False  # the device had it before


class Speech:
    """The queue of utterances; one is at the device at a time."""

    def __init__(self, config: StackChanConfig) -> None:
        self.current: Utterance | None = None
        self._config = config
        self._queue: deque[Utterance] = deque()
        self._results: BoundedDict[str, SayResult] = BoundedDict(REMEMBERED)
        self._recent: deque[tuple[float, str]] = deque(maxlen=_RECENT)  # ended, text

    def refusal(self, goal: SayGoal) -> str:
        """Why `goal` cannot be said; empty if it can."""
        if not goal.text.strip():
            return 'there is nothing to say'
        if len(goal.text) > self._config.max_speech:
            return (
                f'the text has {len(goal.text)} characters, '
                f'at most {self._config.max_speech} can be said in one go'
            )
        if goal.act_id in self._results:
            return ''  # it is answered, not said
        if len(self._queue) >= QUEUE:
            return 'too much is waiting to be said'
        if goal.act_id and any(goal.act_id == u.goal.act_id for u in self._all()):
            return 'that is being said'
        return ''

    def known(self, goal: SayGoal) -> SayResult | None:
        """How the same act ended before, if it did."""
        return self._results.get(goal.act_id) if goal.act_id else None

    def add(self, handle: str, goal: SayGoal, now: float) -> None:
        """Put an utterance into the queue."""
        self._queue.append(Utterance(handle, goal, now))

    def next(self) -> Utterance | None:
        """Take the utterance to send now, if any; it counts as sent from here on."""
        if self.current is not None or not self._queue:
            return None
        self.current = self._queue.popleft()
        return self.current

    def sent(self, id: str, now: float) -> None:
        """The current utterance has been given to the wire as command `id`."""
        assert self.current is not None
        self.current.id = id
        expected = len(self.current.goal.text) / self._config.speech_rate
        margin = max(self._config.speech_margin, self._config.act_seconds)
        self.current.until = now + expected + margin

    def finish(self, outcome: str, reason: str, now: float) -> tuple[str, SayResult] | None:
        """End the current utterance; returns its handle and result."""
        ended, self.current = self.current, None
        if ended is None:
            return None
        seconds = 0.0 if math.isnan(ended.began) else now - ended.began
        result = SayResult(outcome, reason, seconds)
        if ended.id:
            self._recent.append((now, ended.goal.text))
            if ended.goal.act_id:
                self._results[ended.goal.act_id] = result
        return ended.handle, result

    def drop(self, reason: str) -> list[tuple[str, SayResult]]:
        """Give up all that has not been sent; returns handles and results."""
        dropped = [(u.handle, SayResult(SayState.ABORTED, reason)) for u in self._queue]
        self._queue.clear()
        return dropped

    def withdraw(self, handle: str) -> SayResult | None:
        """Give up one utterance that has not been sent."""
        for utterance in self._queue:
            if utterance.handle == handle:
                self._queue.remove(utterance)
                return SayResult(SayState.ABORTED, 'cancelled before it was said')
        return None

    def due(self) -> float:
        """When the current utterance should have ended."""
        return self.current.until if self.current else math.inf

    def is_echo(self, heard: str, now: float) -> bool:
        """Whether what a microphone heard at `now` may be the robot's own voice."""
        if self.current is not None and self.current.id:
            return True
        tail = self._config.echo_tail
        return any(
            now - ended <= tail or (now - ended <= 10.0 * tail and is_own(heard, text))
            for ended, text in self._recent
        )

    def _all(self) -> list[Utterance]:
        return [*self._queue, *([self.current] if self.current else [])]
