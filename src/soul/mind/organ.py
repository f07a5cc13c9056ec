"""The mind as an organ: hands what it hears to the mind's event loop and says what comes back."""

from __future__ import annotations

from collections.abc import Callable

from soul.core.organ import Answer, Health, Organ
from soul.core.output import Outputs
from soul.mind.loop import Loop
from soul.mind.mind import Mind
from soul.signals import (
    Act,
    AttendRequest,
    AuthorizeRequest,
    BodyState,
    Energy,
    ExpressRequest,
    GuardState,
    HeartState,
    LookRequest,
    MindState,
    ModelCall,
    ReceiptRequest,
    Reply,
    SpeakRequest,
    Thought,
    TriggerRequest,
    Turn,
    View,
    Wake,
)


class MindOrgan(Organ):
    """The tables of the mind, and its life cycle."""

    hears = {
        'field/view': View,
        'heart/wake': Wake,
        'guard/energy': Energy,
        'guard/state': GuardState,
        'guard/act': Act,
        'body/state': BodyState,
        'heart/state': HeartState,
    }
    says = {
        'mind/state': MindState,
        'mind/turn': Turn,
        'mind/thought': Thought,
        'mind/call': ModelCall,
        'door/reply': Reply,
    }
    asks = {
        'field/attend': AttendRequest,
        'guard/authorize': AuthorizeRequest,
        'guard/receipt': ReceiptRequest,
        'speak': SpeakRequest,
        'look': LookRequest,
        'stop': TriggerRequest,
        'body/express': ExpressRequest,
    }

    def __init__(self, mind: Mind, loop: Loop, answered: Callable[[Answer], None]) -> None:
        self._mind = mind
        self._loop = loop
        self._answered = answered

    def start(self, now: float) -> Outputs:
        """Close turns that a crash left open, and tell the first state."""
        self._loop.call(self._mind.start)
        return ()

    def activate(self, now: float) -> Outputs:
        """Think from now on: from here on it may cost something."""
        self._loop.call(self._mind.activate)
        return ()

    def deactivate(self, now: float) -> Outputs:
        """Cut the turns in progress and begin no others."""
        self._loop.call(self._mind.deactivate)
        return ()

    def stop(self, now: float) -> Outputs:
        """End: what is in progress is cut and written down."""
        self._loop.wait_for(self._mind.close(), 3.0)
        return ()

    def on_view(self, view: View, now: float) -> Outputs:
        """Hand a view over to the mind's event loop."""
        self._loop.call(self._mind.on_view, view)
        return ()

    def on_wake(self, wake: Wake, now: float) -> Outputs:
        """Hand a wake over to the mind's event loop; only dreams begin with it."""
        self._loop.call(self._mind.on_wake, wake)
        return ()

    def on_energy(self, energy: Energy, now: float) -> Outputs:
        """Feel how much is left."""
        self._loop.call(self._mind.on_energy, energy)
        return ()

    def on_guard_state(self, state: GuardState, now: float) -> Outputs:
        """Stop or go on."""
        self._loop.call(self._mind.on_guard_state, state)
        return ()

    def on_stop_file(self, content: str | None, now: float) -> Outputs:
        """The STOP file appeared or went: stop without waiting for anybody's word."""
        self._loop.call(self._mind.stop, content is not None, (content or '').strip())
        return ()

    def on_act(self, act: Act, now: float) -> Outputs:
        """Hear how an outward act goes."""
        self._loop.call(self._mind.on_act, act)
        return ()

    def on_body_state(self, state: BodyState, now: float) -> Outputs:
        """Hand the body's state over to the mind's event loop."""
        self._loop.call(self._mind.on_body_state, state)
        return ()

    def on_heart_state(self, state: HeartState, now: float) -> Outputs:
        """Hand the heart's state over to the mind's event loop."""
        self._loop.call(self._mind.on_heart_state, state)
        return ()

    def on_answer(self, answer: Answer, now: float) -> Outputs:
        """Hand an answer to whoever waits for it."""
        self._loop.call(self._answered, answer)
        return ()

    def health(self, now: float) -> Health:
        """How the mind is."""
        trouble = self._mind.status.trouble
        values = {'phase': self._mind.status.phase}
        return Health('warn', trouble, values) if trouble else Health(values=values)
