"""Orders to her guard: stop, pause, say, look, sleep; each waits for its outcome."""

from __future__ import annotations

import threading
from typing import Any

from soul.core.errors import StartRefused
from soul.signals import (
    Act,
    ActState,
    LookRequest,
    SetBoolRequest,
    SleepRequest,
    SpeakRequest,
    TriggerRequest,
)
from soul.terminal.link import Link, LinkLost

#: Beside the limit that the guard names for an act: some time to hear how it ended, s.
WORD_SECONDS = 15.0
BY = 'terminal'
_UNDER_WAY = (ActState.INTENDED, ActState.PENDING, ActState.EXECUTING)


class NotDone(Exception):
    """What was ordered did not happen, or perhaps not, and why."""


class Control:
    """Gives orders and waits for what becomes of them.

    The link must not have been started yet; every method raises NobodyThere if she is not there,
    and NotDone if what was ordered does not happen.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._ended: dict[str, Act] = {}
        self._heard = threading.Condition()
        link.listen('guard/act', Act, self._on_act)
        link.on_lost = self._on_lost

    def _on_act(self, act: Act) -> None:
        if act.state not in _UNDER_WAY:
            with self._heard:
                self._ended[act.id] = act
                self._heard.notify_all()

    def _on_lost(self) -> None:
        with self._heard:
            self._heard.notify_all()

    def stop(self) -> str:
        """Stop everything at once."""
        return self._quick('stop', TriggerRequest())

    def resume(self) -> str:
        """End a stop; returns what she answered."""
        return self._quick('resume', TriggerRequest())

    def pause(self, paused: bool) -> str:
        """Keep her still, or let her go on."""
        return self._quick('pause', SetBoolRequest(paused))

    def say(self, text: str) -> str:
        """Let the body say something."""
        return self._act('speak', SpeakRequest(text=text, by=BY))

    def look(self, direction: str, question: str) -> str:
        """Let the body look somewhere, and answer a question about what is there."""
        return self._act('look', LookRequest(direction=direction, question=question, by=BY))

    def sleep(self, minutes: float) -> str:
        """Send her to sleep; 0 minutes: as long as she needs."""
        return self._act('sleep', SleepRequest(60.0 * minutes, by=BY, because='I was sent to bed'))

    def _quick(self, name: str, request: Any) -> str:
        answer = self._link.call(name, request)
        if not answer.success:
            raise NotDone(answer.message)
        return str(answer.message)

    def _act(self, name: str, request: Any) -> str:
        answer = self._link.call(name, request)
        if not answer.accepted:
            raise NotDone(f'refused: {answer.reason}')
        with self._heard:
            longest = getattr(answer, 'longest', 0.0) + WORD_SECONDS
            self._heard.wait_for(lambda: answer.act_id in self._ended or self._link.lost, longest)
            act = self._ended.get(answer.act_id)
        if act is None and self._link.lost:
            raise LinkLost(self._link.lost)
        if act is None:
            raise NotDone('no outcome came in time')
        told = f'{act.state}: {act.detail}' if act.detail else act.state
        if act.state != ActState.DONE:
            raise NotDone(told)
        return told


def direction(words: str) -> str:
    """Check a direction of the head.

    Raises
    ------
    StartRefused
        If there is none of that name.
    """
    from soul.guard.directions import DIRECTIONS

    if words.lower() not in DIRECTIONS:
        raise StartRefused(f'direction is {words!r}, allowed is one of {", ".join(DIRECTIONS)}')
    return words.lower()
