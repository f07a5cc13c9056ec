"""The driver organ: between the body's topics, services and actions and the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from soul.core.organ import Answer, Health, Organ, Report
from soul.core.output import Outputs
from soul.signals import (
    CaptureRequest,
    Connection,
    ExpressRequest,
    Extras,
    GuardState,
    LookAtGoal,
    Message,
    NudgeAnswer,
    NudgeRequest,
    PairAnswer,
    PairRequest,
    Point,
    PostRequest,
    SayGoal,
    SayState,
    TriggerAnswer,
    TriggerRequest,
)
from soul.stackchan.abilities import SENSES, lacking
from soul.stackchan.components import BodyComponents
from soul.stackchan.config import StackChanConfig
from soul.stackchan.gate import Gate
from soul.stackchan.link_events import LinkEvents
from soul.stackchan.neck import no_frames
from soul.stackchan.report import health_of
from soul.stackchan.saying import SPEAKER
from soul.stackchan.transports.link import LinkNews
from soul.stackchan.transports.port import BodyPort
from soul.voice.messages import (
    Complete,
    FromProcess,
    Piece,
    VoiceTrouble,
)

if TYPE_CHECKING:
    from soul.stackchan.pairing.desk import PairingDesk


class StackChan(Organ):
    """Drives a StackChan over a port; decides nothing.

    Parameters
    ----------
    stamped
        Turns a time of this organ's clock into one for the stamp of a message, where the organ
        does not live by the node's clock; a wire is monotonic also where time is simulated.
    transform
        Gives a point in another frame, for points in frames that are not the robot's own.

        Raises ValueError, which says why, if it cannot.
    desk
        Where devices are paired; None: none dials this transport.
    """

    hears: ClassVar = {'guard/state': GuardState, 'voice/heard': Message}
    says: ClassVar = {**SENSES, 'connection': Connection, 'body/extra': Extras}
    perhaps: ClassVar = frozenset(SENSES)
    asks: ClassVar = {'heart/nudge': NudgeRequest, 'door/post': PostRequest, 'voice/say': SayGoal}
    serves: ClassVar = {'body/halt': TriggerRequest, 'body/pair': PairRequest}
    performs: ClassVar = {
        'body/say': SayGoal,
        'body/look_at': LookAtGoal,
        'body/capture': CaptureRequest,
        'body/express': ExpressRequest,
    }

    def __init__(
        self,
        config: StackChanConfig,
        port: BodyPort,
        stamped: Callable[[float], float] = float,
        transform: Callable[[Point, str], Point] = no_frames,
        desk: PairingDesk | None = None,
    ) -> None:
        self._desk = desk
        self.port = port
        self.gate = Gate()
        self.components = BodyComponents(config, port, self.gate, stamped, transform)
        self._config = config
        self.link = LinkEvents(config.transport, port, self.components, self.gate)

    # --- life -----------------------------------------------------------------------------

    def start(self, now: float) -> Outputs:
        """Say that there is no body yet."""
        return self.link.told(Connection(detail='not configured'))

    def configure(self, now: float) -> Outputs:
        """Open the link."""
        self.port.connect(now)
        if self._desk is not None and self._desk.expects:
            # It cannot know that she is there again: somebody has to wake it.
            detail = 'asleep: it has not dialled yet; say its wake word, or tap its screen'
            return self.link.told(Connection(asleep=True, detail=detail))
        return self.link.told(replace(self.link.connection, detail='connecting'))

    def activate(self, now: float) -> Outputs:
        """Accept goals from now on."""
        self.gate.active = True
        if self.port.joined:
            self.components.take_over(self.link.capabilities, now)
        return ()

    def deactivate(self, now: float) -> Outputs:
        """Accept no goals; end what is under way and turn to the safe pose."""
        if not self.gate.active:
            return
        self.gate.active = False
        if self.components.voice.speech.current is not None:
            self.port.halt()
        yield from self.components.end_all(SayState.ABORTED, 'the body is being put to rest', now)
        if self.port.joined and not self.gate.held:
            self.components.neck.go_to_rest(now)

    def cleanup(self, now: float) -> Outputs:
        """Close the link."""
        yield from self.link.events(self.port.disconnect(now), now)

    def stop(self, now: float) -> Outputs:
        """End quietly: a restart is a nap, not a lost body, so nobody is told of a lost link."""
        for output in (*self.deactivate(now), *self.cleanup(now)):
            if not isinstance(output, Connection):
                yield output

    def due(self) -> float:
        """When something is due next."""
        return min(self.port.due(), self.components.due())

    def step(self, now: float) -> Outputs:
        """Do what is due."""
        yield from self.link.events(self.port.step(now), now)
        yield from self.components.step(now)

    # --- stop -----------------------------------------------------------------------------

    def serve_halt(self, request: TriggerRequest, now: float) -> tuple[TriggerAnswer, Outputs]:
        """Be still and silent at once; never refused, in no state gated."""
        self.port.halt()
        outputs = list(self.components.end_all(SayState.ABORTED, 'halted', now))
        told = 'halted' if self.port.joined else 'halted; no body is connected'
        return TriggerAnswer(True, told), outputs

    def on_guard_state(self, state: GuardState, now: float) -> Outputs:
        """Hear whether everything is stopped."""
        return self._hold('guard', state.stopped, state.stop_reason or 'stopped', now)

    def on_stop_file(self, present: bool, now: float) -> Outputs:
        """Hear whether the STOP file is there."""
        return self._hold('file', present, 'the STOP file is there', now)

    def _hold(self, who: str, stopped: bool, why: str, now: float) -> Iterator[Any]:
        if not stopped:
            self.gate.release(who)
        elif self.gate.hold(who, why):
            self.port.halt()
            yield from self.components.end_all(SayState.ABORTED, f'stopped: {why}', now)
            yield Report('warning', f'the body is held still: {why}')

    def serve_pair(self, request: PairRequest, now: float) -> tuple[PairAnswer, Outputs]:
        """Pair a device that dials."""
        if self._desk is None:
            reason = (
                f'the transport is {self._config.transport}, which no device dials: start her '
                'with `soul up --body xiaozhi`'
            )
            return PairAnswer(False, reason), ()
        return self._desk.answer(request), ()

    # --- what is asked --------------------------------------------------------------------

    @property
    def takes_goals(self) -> bool:
        """Only an active body takes goals."""
        return self.gate.active

    def refuse(self, name: str, request: Any, now: float) -> str:
        """Say why something cannot be done now."""
        if reason := self.gate.refusal():
            return reason
        if not self.port.joined:
            told = self.link.connection
            there = 'the body is' if told.asleep else 'no body is connected:'
            return f'{there} {told.detail}'
        if self.port.stale(now):
            return 'the body does not answer at the moment'
        return lacking(name, self.link.capabilities) or self.components.refusal(request, now)

    def perform_say(self, goal: SayGoal, handle: str, now: float) -> Outputs:
        """Say something."""
        return self.components.voice.perform(goal, handle, now)

    def perform_look_at(self, goal: LookAtGoal, handle: str, now: float) -> Outputs:
        """Turn the head."""
        return self.components.neck.perform(goal, handle, now)

    def perform_capture(self, request: CaptureRequest, handle: str, now: float) -> Outputs:
        """Take a picture."""
        return self.components.eye.perform(request.question, handle, now)

    def perform_express(self, request: ExpressRequest, handle: str, now: float) -> Outputs:
        """Show a feeling."""
        return self.components.face.perform(request, handle, now)

    def cancel(self, handle: str, now: float) -> Outputs:
        """Stop doing something."""
        return self.components.cancel(handle, now)

    # --- what comes in other than by the wire ---------------------------------------------

    def on_nudge(self, reason: str, answer: Future[NudgeAnswer | None]) -> Outputs:
        """Somebody at the body's side wants her awake."""
        return self.components.inbound.nudge(reason, f'body/{self._config.transport}', answer)

    def on_answer(self, answer: Answer, now: float) -> Outputs:
        """Hear what the heart or the door makes of it."""
        if answer.to == SPEAKER:
            return self.components.voice.others_said(answer, now)
        return self.components.inbound.answered(answer)

    def on_message(self, message: Message, now: float) -> Outputs:
        """Take what somebody else's ears have understood."""
        if self._config.voice and self._config.ears_engine == 'topic':
            device = self.link.connection.device
            yield from self.components.inbound.understood(message, device, now)

    def on_voice(
        self,
        message: FromProcess,
        now: float,
    ) -> Outputs:
        """Take what voice and ears have made."""
        parts = self.components
        if isinstance(message, (Piece, Complete)):
            if parts.voice.sounding is not None:
                parts.voice.sounding.made(message, now)
        elif parts.ears is not None:
            yield from parts.ears.understood(message, self.link.connection.device, now)
        elif isinstance(message, VoiceTrouble):
            yield Report('warning', message.text)

    # --- the link -------------------------------------------------------------------------

    def on_news(self, news: LinkNews, now: float) -> Outputs:
        """Take what a thread of the port has found out."""
        return self.link.events(self.port.take(news, now), now)

    @property
    def transport(self) -> str:
        """How the body is reached."""
        return self._config.transport

    @property
    def detail(self) -> str:
        """What is connected, or why nothing is, for people."""
        return self.link.connection.detail

    def health(self, now: float) -> Health:
        """How the link and the body are."""
        return health_of(self, now)
