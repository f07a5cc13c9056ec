"""The driver organ: between the body's topics, services and actions and the wire."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, ClassVar

from soul.organ import Answer, Health, Organ, Report
from soul.signals import (
    Battery,
    CaptureRequest,
    Connection,
    ExpressRequest,
    Extras,
    GuardState,
    Illuminance,
    Imu,
    Joints,
    KeyValue,
    LookAtGoal,
    NudgeAnswer,
    NudgeRequest,
    Picture,
    PostRequest,
    SayGoal,
    SayState,
    Screen,
    Temperature,
    Touch,
    TriggerAnswer,
    TriggerRequest,
)
from soul.stackchan.acts import Eye, Face, Voice
from soul.stackchan.config import StackChanConfig
from soul.stackchan.events import Answered, Event, Foreign, Heard, Joined, Left
from soul.stackchan.inward import Inward
from soul.stackchan.neck import Neck
from soul.stackchan.readings import Readings
from soul.stackchan.report import health_of
from soul.stackchan.session import Port, Session
from soul.wire import schema

#: Which capability a request needs.
_NEEDS = {
    'body/say': ('tts', 'speak'),
    'body/look_at': ('head', 'turn its head'),
    'body/capture': ('cam', 'see'),
    'body/express': ('face', 'show a face'),
}
#: How often a body shows that it is there, s.
_SHOW_SECONDS = 5.0
_BAD_RESETS = frozenset({'brownout', 'panic', 'wdt'})


class StackChan(Organ):
    """Drives a StackChan over a port; decides nothing.

    Parameters
    ----------
    stamped
        Turns a time of this organ's clock into one for the stamp of a message, where the organ
        does not live by the node's clock; a wire is monotonic also where time is simulated.
    """

    hears: ClassVar = {'guard/state': GuardState}
    says: ClassVar = {
        'joint_states': Joints,
        'battery_state': Battery,
        'temperature': Temperature,
        'illuminance': Illuminance,
        'imu/data_raw': Imu,
        'camera/image_raw/compressed': Picture,
        'screen': Screen,
        'touch': Touch,
        'connection': Connection,
        'body/extra': Extras,
    }
    asks: ClassVar = {'heart/nudge': NudgeRequest, 'door/post': PostRequest}
    serves: ClassVar = {'body/halt': TriggerRequest}
    performs: ClassVar = {
        'body/say': SayGoal,
        'body/look_at': LookAtGoal,
        'body/capture': CaptureRequest,
        'body/express': ExpressRequest,
    }

    def __init__(
        self,
        config: StackChanConfig,
        port: Port,
        rng: random.Random,
        stamped: Callable[[float], float] = float,
    ) -> None:
        want = schema.Want(
            joint=config.joint_hz, imu=config.imu_hz, power=config.power_hz, env=config.env_hz
        )
        self.session = Session(port, want, (config.backoff_min, config.backoff_max), rng)
        self.neck = Neck(config, self.session)
        self.face = Face(self.session)
        self.voice = Voice(config, self.session, self.face)
        self.eye = Eye(config, self.session)
        self.readings = Readings(config, stamped)
        self.inward = Inward(self.voice.speech)
        self._config = config
        self._shown = -math.inf  # when the body was last shown to be alive
        self.active = False
        self.boots = 0
        self._stops: dict[str, str] = {}  # who holds the body still, and why
        self._connection = Connection()

    # --- life -----------------------------------------------------------------------------

    def start(self, now: float) -> Iterable[Any]:
        """Say that there is no body yet."""
        return self._connected(Connection(detail='not configured'))

    def configure(self, now: float) -> Iterable[Any]:
        """Open the link."""
        self.session.connect(now)
        return self._connected(replace(self._connection, detail='connecting'))

    def activate(self, now: float) -> Iterable[Any]:
        """Accept goals from now on."""
        self.active = True
        if self.session.joined:
            self._take_over(now)
        return ()

    def deactivate(self, now: float) -> Iterable[Any]:
        """Accept no goals; end what is under way and turn to the safe pose."""
        if not self.active:
            return
        self.active = False
        if self.voice.speech.current is not None:
            self.session.stop()
        yield from self._end_all(SayState.ABORTED, 'the body is being put to rest', now)
        if self.session.joined and not self._stops:
            self.neck.go_to_rest(now)

    def cleanup(self, now: float) -> Iterable[Any]:
        """Close the link."""
        yield from self._events(self.session.disconnect(now), now)

    def stop(self, now: float) -> Iterable[Any]:
        """End quietly: a restart is a nap, not a lost body, so nobody is told of a lost link."""
        for output in (*self.deactivate(now), *self.cleanup(now)):
            if not isinstance(output, Connection):
                yield output

    def due(self) -> float:
        """When something is due next."""
        return min(
            self.session.due(),
            self.neck.head.due(),
            self.voice.speech.due(),
            self.eye.camera.until,
            self.readings.skin.due(),
        )

    def step(self, now: float) -> Iterable[Any]:
        """Do what is due."""
        yield from self._events(self.session.step(now), now)
        if self.session.joined:
            yield from self.neck.step(now)
        yield from self.voice.step(now)
        yield from self.eye.step(now)
        yield from self.readings.skin.step(now)

    # --- stop -----------------------------------------------------------------------------

    def serve_halt(
        self, request: TriggerRequest, now: float
    ) -> tuple[TriggerAnswer, Iterable[Any]]:
        """Be still and silent at once; never refused, in no state gated."""
        self.session.stop()
        outputs = list(self._end_all(SayState.ABORTED, 'halted', now))
        told = 'halted' if self.session.joined else 'halted; no body is connected'
        return TriggerAnswer(True, told), outputs

    def on_guard_state(self, state: GuardState, now: float) -> Iterable[Any]:
        """Hear whether everything is stopped."""
        return self._hold('guard', state.stopped, state.stop_reason or 'stopped', now)

    def on_stop_file(self, present: bool, now: float) -> Iterable[Any]:
        """Hear whether the STOP file is there."""
        return self._hold('file', present, 'the STOP file is there', now)

    def _hold(self, who: str, stopped: bool, why: str, now: float) -> Iterator[Any]:
        if not stopped:
            self._stops.pop(who, None)
        elif who not in self._stops:
            self._stops[who] = why
            self.session.stop()
            yield from self._end_all(SayState.ABORTED, f'stopped: {why}', now)
            yield Report('warning', f'the body is held still: {why}')

    # --- what is asked --------------------------------------------------------------------

    @property
    def takes_goals(self) -> bool:
        """Only an active body takes goals."""
        return self.active

    def refuse(self, name: str, request: Any, now: float) -> str:
        """Say why something cannot be done now."""
        if not self.active:
            return 'the body is not active'
        if self._stops:
            return f'stopped: {next(iter(self._stops.values()))}'
        if not self.session.joined:
            return f'no body is connected: {self._connection.detail}'
        if self.session.stale(now):
            return 'the body does not answer at the moment'
        cap, what = _NEEDS[name]
        if cap not in self._caps:
            return f'this body cannot {what}'
        if isinstance(request, SayGoal):
            return self.voice.speech.refusal(request)
        if isinstance(request, LookAtGoal):
            gauge = self.readings.gauge
            if gauge.low_supply:
                return f'the supply is too low to move: {gauge.vbus:.2f} V'
            return self.neck.refusal(request, now)
        return ''

    def perform_say(self, goal: SayGoal, handle: str, now: float) -> Iterable[Any]:
        """Say something."""
        return self.voice.perform(goal, handle, now)

    def perform_look_at(self, goal: LookAtGoal, handle: str, now: float) -> Iterable[Any]:
        """Turn the head."""
        return self.neck.perform(goal, handle, now)

    def perform_capture(self, request: CaptureRequest, handle: str, now: float) -> Iterable[Any]:
        """Take a picture."""
        return self.eye.perform(request.question, handle, now)

    def perform_express(self, request: ExpressRequest, handle: str, now: float) -> Iterable[Any]:
        """Show a feeling."""
        return self.face.perform(request, handle, now)

    def cancel(self, handle: str, now: float) -> Iterable[Any]:
        """Stop doing something."""
        yield from self.voice.cancel(handle, now)
        yield from self.neck.cancel(handle, now)

    # --- what comes in other than by the wire ---------------------------------------------

    def on_nudge(self, reason: str, answer: Future[NudgeAnswer | None]) -> Iterable[Any]:
        """Somebody at the body's side wants her awake."""
        return self.inward.nudge(reason, self._config.transport, answer)

    def on_answer(self, answer: Answer, now: float) -> Iterable[Any]:
        """Hear what the heart or the door makes of it."""
        return self.inward.answered(answer)

    # --- the wire -------------------------------------------------------------------------

    def on_link_up(self, now: float) -> Iterable[Any]:
        """Hear that the port is open."""
        return self._events(self.session.on_link_up(now), now)

    def on_link_lost(self, reason: str, now: float) -> Iterable[Any]:
        """Hear that the port could not be opened or is gone."""
        return self._events(self.session.on_link_lost(reason, now), now)

    def on_bytes(self, data: bytes, now: float) -> Iterable[Any]:
        """Hear what came over the wire."""
        return self._events(self.session.on_bytes(data, now), now)

    @property
    def transport(self) -> str:
        """How the body is reached."""
        return self._config.transport

    @property
    def detail(self) -> str:
        """What is connected, or why nothing is, for people."""
        return self._connection.detail

    @property
    def _caps(self) -> tuple[str, ...]:
        return self.session.hello.caps if self.session.hello else ()

    def _events(self, events: Iterator[Event], now: float) -> Iterator[Any]:
        for event in events:
            match event:
                case Heard(frame):
                    yield from self._heard(frame, now)
                case Answered():
                    yield from self.voice.answered(event, now)
                    yield from self.neck.answered(event, now)
                    yield from self.face.answered(event, now)
                    yield from self.eye.answered(event)
                case Joined(hello, rebooted):
                    yield from self._joined(hello, rebooted, now)
                case Left(reason, was_joined):
                    yield from self._left(reason, was_joined, now)
                case Foreign(hello):
                    version = '.'.join(map(str, hello.proto))
                    detail = f'the device speaks protocol {version}: it is only listened to'
                    yield Report('error', detail)
                    yield from self._connected(Connection(detail=detail))

    def _heard(self, frame: schema.DeviceFrame, now: float) -> Iterator[Any]:
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
                yield from self.inward.words(frame.text, self._connection.device, now)
            case schema.DeviceHb():
                yield from self._alive(now)
            case schema.Log():
                yield Report('debug', f'device: {frame.text}')
            case _:
                yield from self.readings.take(frame, stamp, self.neck.head.moving, now)
        if self.readings.gauge.low_supply and self.neck.head.turn is not None:
            yield from self.neck.end('the supply is too low to move', now)

    def _alive(self, now: float) -> Iterator[Any]:
        """Show now and then that the body is there, also where it has no sense to tell."""
        if not 0.0 <= now - self._shown < _SHOW_SECONDS:
            self._shown = now
            yield Extras(values=(KeyValue('link', self._config.transport),))

    def _joined(self, hello: schema.DeviceHello, rebooted: bool, now: float) -> Iterator[Any]:
        self.readings.begin()
        self.neck.head.begin(hello.lim, rebooted)
        if rebooted:
            self.boots += 1
            level = 'warning' if hello.rst in _BAD_RESETS else 'info'
            yield Report(level, f'boot {hello.boot} of the device, reset cause {hello.rst}')
        yield from self._connected(Connection(
            connected=True, transport=self._config.transport, device=hello.uid,
            firmware=' '.join(filter(None, (hello.hw, hello.fw))), boot_id=hello.boot,
            reset_cause=hello.rst, capabilities=hello.caps, detail='a body is connected',
        ))  # fmt: skip
        if self._stops:
            self.session.stop()
        elif self.active:
            self._take_over(now)

    def _take_over(self, now: float) -> None:
        """Begin with a body: only states are asserted, no act is repeated."""
        if 'torque' in self._caps:
            self.session.command('torque', now, on=True)
        if 'face' in self._caps:
            self.face.reassert(now)

    def _left(self, reason: str, was_joined: bool, now: float) -> Iterator[Any]:
        if was_joined:
            level = 'warning' if self.session.wanted else 'info'
            yield Report(level, f'the link to the body is lost: {reason}')
            yield from self._end_all(SayState.UNCERTAIN, f'the link was lost: {reason}', now)
        yield from self._connected(Connection(detail=reason))

    def _end_all(self, speech: str, reason: str, now: float) -> Iterator[Any]:
        yield from self.voice.end_all(speech, reason, now)
        yield from self.neck.end(reason, now)
        yield from self.eye.end_all(reason)
        yield from self.face.end_all(reason)

    def _connected(self, connection: Connection) -> Iterator[Any]:
        if connection != self._connection:
            self._connection = connection
            yield connection

    def health(self, now: float) -> Health:
        """How the link and the body are."""
        return health_of(self, now)
