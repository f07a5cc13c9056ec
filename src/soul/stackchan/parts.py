"""All parts of a body together: what the device tells goes to each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from soul.core.organ import Report
from soul.signals import LookAtGoal, Point, SayGoal
from soul.stackchan.acts import Eye, Face, Voice
from soul.stackchan.config import StackChanConfig
from soul.stackchan.events import Answered
from soul.stackchan.inward import Inward
from soul.stackchan.neck import Neck
from soul.stackchan.readings import Readings
from soul.stackchan.session import Session
from soul.wire import schema

_MOST_NOTICES = 8


class Parts:
    """Neck, face, voice, eye, senses, and the ear.

    Parameters
    ----------
    stamped
        See :class:`Readings`.
    transform
        See :class:`Neck`.
    """

    def __init__(
        self,
        config: StackChanConfig,
        session: Session,
        stamped: Callable[[float], float],
        transform: Callable[[Point, str], Point],
    ) -> None:
        self.neck = Neck(config, session, transform)
        self.face = Face(session)
        self.voice = Voice(config, session, self.face)
        self.eye = Eye(config, session)
        self.readings = Readings(config, stamped)
        self.inward = Inward(self.voice.speech)
        self.notices: list[str] = []  # what the device wants people to see to
        self._session = session

    def due(self) -> float:
        """When something is due next."""
        return min(
            self.neck.head.due(),
            self.voice.speech.due(),
            self.eye.camera.until,
            self.readings.skin.due(),
        )

    def step(self, now: float) -> Iterator[Any]:
        """Do what is due."""
        if self._session.joined:
            yield from self.neck.step(now)
        yield from self.voice.step(now)
        yield from self.eye.step(now)
        yield from self.readings.skin.step(now)

    def refusal(self, request: Any, now: float) -> str:
        """Why a request cannot be carried out as things are; empty if it can."""
        if isinstance(request, SayGoal):
            return self.voice.speech.refusal(request)
        if isinstance(request, LookAtGoal):
            gauge = self.readings.gauge
            if gauge.low_supply:
                return f'the supply is too low to move: {gauge.vbus:.2f} V'
            return self.neck.refusal(request, now)
        return ''

    def begin(self, hello: schema.DeviceHello, rebooted: bool) -> None:
        """Begin with a device: nothing is known of it yet."""
        self.readings.begin()
        self.neck.head.begin(hello.lim, rebooted)

    def take_over(self, caps: tuple[str, ...], now: float) -> None:
        """Act from now on: only states are asserted, no act is repeated."""
        if 'torque' in caps:
            self._session.command('torque', now, on=True)
        if 'face' in caps:
            self.face.reassert(now)

    def heard(self, frame: schema.DeviceFrame, device: str, now: float) -> Iterator[Any]:
        """Take what the device says."""
        stamp = self.readings.stamp(frame, now)
        match frame:
            case schema.Joint():
                yield from self.neck.read(frame, stamp, now)
            case schema.Jpg():
                yield from self.eye.take(frame, stamp)
            case schema.Done():
                yield from self.voice.done(frame, now)
                yield from self.eye.done(frame)
            case schema.Seen():
                yield from self.eye.seen(frame)
            case schema.HeardText():
                yield from self.inward.words(frame.text, device, now)
            case schema.Log():
                yield from self._logged(frame)
            case _:
                yield from self.readings.take(frame, stamp, self.neck.head.moving, now)
        if self.readings.gauge.low_supply and self.neck.head.turn is not None:
            yield from self.neck.end('the supply is too low to move', now)

    def answered(self, answer: Answered, now: float) -> Iterator[Any]:
        """Hear what the device makes of a command."""
        yield from self.voice.answered(answer, now)
        yield from self.neck.answered(answer, now)
        yield from self.face.answered(answer, now)
        yield from self.eye.answered(answer)

    def cancel(self, handle: str, now: float) -> Iterator[Any]:
        """Stop doing something."""
        yield from self.voice.cancel(handle, now)
        yield from self.neck.cancel(handle, now)

    def end_all(self, speech: str, reason: str, now: float) -> Iterator[Any]:
        """End what is under way; speech that is at the device with the outcome `speech`."""
        yield from self.voice.end_all(speech, reason, now)
        yield from self.neck.end(reason, now)
        yield from self.eye.end_all(reason)
        yield from self.face.end_all(reason)

    def _logged(self, line: schema.Log) -> Iterator[Any]:
        if not line.warn:
            yield Report('debug', f'device: {line.text}')
        elif line.text not in self.notices and len(self.notices) < _MOST_NOTICES:
            self.notices.append(line.text)  # said once, and kept for the diagnostics
            yield Report('warning', line.text)
