"""What the body is asked to do beside speaking: show faces, take pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from soul.core.organ import Finish
from soul.core.output import Outputs
from soul.signals import (
    CaptureAnswer,
    ExpressAnswer,
    ExpressRequest,
    Picture,
)
from soul.stackchan.camera import Camera
from soul.stackchan.config import StackChanConfig
from soul.stackchan.faces import COLOURS, FACES, face_for
from soul.stackchan.gate import Gate
from soul.stackchan.geometry import CAMERA
from soul.stackchan.transports.commands import (
    CaptureCommand,
    FaceCommand,
    LightCommand,
    can,
)
from soul.stackchan.transports.events import ActEnded, Answered, PhotoTaken, SeenInWords
from soul.stackchan.transports.port import BodyPort

_LONGEST_QUESTION = 500


#: The face of somebody who has heard something and has not answered yet, and its strength.
_THINKING = (FACES['thinking'], 1.0)
_PLAIN = ('neutral', 1.0)


class FaceDisplay:
    """Shows feelings on the device's face; the last one wins.

    Parameters
    ----------
    gate
        Only while it is open she looks as if she were thinking: else nobody answers.
    seconds
        So long she does at most; 0: she never does.
    """

    def __init__(self, port: BodyPort, gate: Gate, seconds: float) -> None:
        self._port = port
        self._gate = gate
        self._seconds = seconds
        self._thinks_until = math.inf  # inf: she does not look like it
        self._waiting: dict[str, str] = {}  # command id -> handle
        self._shown: tuple[str, float] | None = None

    def perform(self, request: ExpressRequest, handle: str, now: float) -> Iterator[Any]:
        """Show a feeling."""
        numbers = (('valence', request.valence, -1), ('arousal', request.arousal, 0))
        for name, value, low in numbers:
            if not low <= value <= 1:  # so is NaN
                reason = f'{name} is {value:g}, allowed is {low} to 1'
                yield Finish(handle, ExpressAnswer(False, reason))
                return
        found = face_for(request.name, request.valence, request.arousal)
        if found is None:
            known = ', '.join(sorted(FACES))
            yield Finish(handle, ExpressAnswer(False, f'no such face; known are {known}'))
            return
        self._waiting[self._send(found, now)] = handle

    def show(self, name: str, now: float) -> None:
        """Show a feeling by name if it is known; nobody waits for it."""
        found = face_for(name, 0.0, 0.0)
        if found is not None:
            self._send(found, now)

    def think(self, now: float) -> None:
        """Look as if thinking: a sign that she has heard.

        The face of before comes back with :meth:`thought`, or after some seconds.
        """
        about = self._port.about
        if self._seconds <= 0.0 or not self._port.joined or self._gate.refusal():
            return
        if about is not None and can(about.capabilities, FaceCommand(*_THINKING)):
            self._thinks_until = now + self._seconds
            self._shown = self._shown or _PLAIN  # what a new session asserts
            self._draw(_THINKING, now)

    def thought(self, now: float) -> None:
        """Look as before, if she looks as if she were thinking."""
        if self._thinks_until < math.inf:
            self._thinks_until = math.inf
            if self._port.joined:
                self._draw(self._shown or _PLAIN, now)

    def due(self) -> float:
        """When she has looked thoughtful for long enough."""
        return self._thinks_until

    def step(self, now: float) -> None:
        """Look as before once it is time."""
        if now >= self._thinks_until:
            self.thought(now)

    def reassert(self, now: float) -> None:
        """Show the face of the session before again: it is a state, not an act."""
        if self._shown is not None:
            self._send(self._shown, now)

    def answered(self, answer: Answered, now: float) -> Iterator[Any]:
        """Hear what the device makes of it."""
        handle = self._waiting.pop(answer.id, None)
        if handle is not None:
            ok = answer.state in ('ok', 'clamped', 'dup')
            yield Finish(handle, ExpressAnswer(ok, '' if ok else f'the device: {answer.why}'))

    def end_all(self, reason: str, now: float) -> Iterator[Any]:
        """Nobody will answer any more."""
        self.thought(now)
        waiting, self._waiting = self._waiting, {}
        for handle in waiting.values():
            yield Finish(handle, ExpressAnswer(False, reason))

    def _send(self, face: tuple[str, float], now: float) -> str:
        self._shown = face
        self._thinks_until = math.inf  # a feeling is more than a sign
        return self._draw(face, now)

    def _draw(self, face: tuple[str, float], now: float) -> str:
        about = self._port.about
        if about is not None and 'led' in about.capabilities:
            self._port.send(LightCommand(COLOURS[face[0]]), now)
        return self._port.send(FaceCommand(face[0], face[1]), now)


class Eye:
    """Takes pictures, one at a time."""

    def __init__(self, config: StackChanConfig, port: BodyPort) -> None:
        self.camera = Camera()
        self._config = config
        self._port = port
        self._frame = config.frame_prefix + CAMERA

    def perform(self, question: str, handle: str, now: float) -> Outputs:
        """Take a picture, or wait for the one under way."""
        if self.camera.ask(handle):
            wish = CaptureCommand(question[:_LONGEST_QUESTION], self._config.jpeg_quality)
            id = self._port.send(wish, now)
            patience = max(self._config.capture_timeout, self._config.act_seconds)
            self.camera.asked(id, now + patience)
        return ()

    def seen(self, seen: SeenInWords) -> Iterator[Any]:
        """Hear what a body sees that sees in words."""
        if seen.id == self.camera.id:
            for handle in self.camera.end():
                yield Finish(handle, CaptureAnswer(True, '', seen.text))

    def done(self, done: ActEnded) -> Iterator[Any]:
        """Hear that there will be no picture; one that is there has come before."""
        if done.id == self.camera.id:
            yield from self.end_all(f'the device: {done.why or "no picture"}')

    def take(self, photo: PhotoTaken, stamp: float) -> Iterator[Any]:
        """Take a picture."""
        data = self.camera.take(photo.data)
        if data is not None:
            picture = Picture(stamp, self._frame, 'jpeg', data)
            yield picture
            for handle in self.camera.end():
                yield Finish(handle, CaptureAnswer(True, '', '', picture))

    def answered(self, answer: Answered) -> Iterator[Any]:
        """Hear whether the device will take one."""
        if answer.id == self.camera.id and answer.state in ('nack', 'unanswered'):
            yield from self.end_all(f'the device: {answer.why}')

    def step(self, now: float) -> Iterator[Any]:
        """Give up waiting."""
        if now >= self.camera.until:
            yield from self.end_all('the picture did not come')

    def end_all(self, reason: str) -> Iterator[Any]:
        """There will be no picture."""
        for handle in self.camera.end():
            yield Finish(handle, CaptureAnswer(False, reason))
