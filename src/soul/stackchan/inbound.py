"""What comes to her through the body's side of the world: nudges, and words that were heard."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

from soul.core.organ import Answer, Ask, Report
from soul.core.output import Outputs
from soul.signals import Message, NudgeAnswer, NudgeRequest, PostRequest
from soul.stackchan.acts import FaceDisplay
from soul.stackchan.speech import Speech


class InboundEvents:
    """Hands them on, and their answers back.

    Parameters
    ----------
    speech
        Her own speech: what is heard of it is no message.
    face
        Shows at once that something was heard.
    joins
        Whoever begins to go on so shortly after a message goes on with that one, s.
    """

    def __init__(self, speech: Speech, face: FaceDisplay, joins: float) -> None:
        self.echoes = 0  # utterances heard that were her own
        self._speech = speech
        self._face = face
        self._joins = joins
        self._last = Message()  # that was spoken, and when it was put at the door
        self._last_at = -math.inf
        self._nudges: dict[str, Future[NudgeAnswer | None]] = {}

    def nudge(self, reason: str, by: str, answer: Future[NudgeAnswer | None]) -> Iterator[Any]:
        """Ask the heart to wake her."""
        token = f'nudge {uuid.uuid4().hex}'
        self._nudges[token] = answer
        yield Ask('heart/nudge', NudgeRequest(reason, by), token)

    def words(self, text: str, device: str, now: float) -> Outputs:
        """Put what somebody said to the body at her door, unless she said it herself."""
        if self._speech.is_echo(text, now):
            self.echoes += 1
            return ()
        self._face.think(now)
        message = Message(sender='voice', channel='body', session=device, text=text)
        return (Ask('door/post', PostRequest(message), 'words'),)

    def spoken(self, text: str, sender: str, device: str, began: float, now: float) -> Outputs:
        """Put what somebody said aloud at her door; nobody can tell who it was.

        Who went on speaking after the message of before goes on with it: the door knows whether it
        is too late for that.

        Parameters
        ----------
        began
            When they began to say it, s.
        """
        self._face.think(now)
        id = uuid.uuid4().hex
        message = Message(id=id, sender=sender, channel='voice', session=device, text=text)
        last, went_on = self._last, began - self._last_at <= self._joins
        same = (last.sender, last.session) == (sender, device)
        continues = last.id if same and went_on else ''
        self._last, self._last_at = message, now
        return (Ask('door/post', PostRequest(message, continues=continues), 'words'),)

    def understood(self, message: Message, device: str, now: float) -> Outputs:
        """Put what other ears have understood at her door, unless she said it herself."""
        if self._speech.is_echo(message.text, now):
            self.echoes += 1
            return ()
        return self.spoken(
            message.text, message.sender or 'voice', message.session or device, now, now
        )

    def answered(self, answer: Answer) -> Iterator[Any]:
        """Hear the heart or the door."""
        if answer.to == 'heart/nudge':
            waiting = self._nudges.pop(answer.token, None)
            if waiting is not None and not waiting.cancelled():
                waiting.set_result(answer.answer)
        elif answer.failure or not answer.answer.accepted:
            why = answer.failure or answer.answer.reason
            yield Report('warning', f'what was said to the body was not taken: {why}')
