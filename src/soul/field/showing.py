"""What she is shown, and when: at a tick, and in mid-turn whenever something is worth it."""

from __future__ import annotations

from collections.abc import Sequence

from soul.core.output import Output, Outputs
from soul.field.door import Door
from soul.field.field_events import field_events
from soul.field.perception import Perception
from soul.field.readings import Occurrence
from soul.field.throttle import Throttle
from soul.signals import Phase, View, WakeId


class Showing:
    """Renders the field for the wake she is in, and knocks for what waits.

    Attributes
    ----------
    wake, causes
        The newest wake that was ticked.
    render
        How often its tick has been rendered.
    phase
        The mind's phase.
    """

    def __init__(self, perception: Perception, door: Door, wake: WakeId) -> None:
        self._perception = perception
        self._world = perception.world
        self._door = door
        self._throttle = Throttle()
        self.wake = wake
        self.causes: tuple[str, ...] = ()
        self.render = 0
        self.phase = ''

    @property
    def busy(self) -> bool:
        """Whether a turn is in progress, in which she sees what comes."""
        return self.phase == Phase.WAKING

    def due(self) -> float:
        """When somebody knocks next, or what has arrived is shown: s of the node's clock."""
        return self._throttle.due if self._throttle.holds else self._door.due()

    def step(self, now: float) -> Outputs:
        """Knock for what is due, or show what has arrived."""
        if not self._throttle.holds:
            yield from self._door.knock(now)
        elif now >= self._throttle.due:
            yield from self._stirred(now)

    def between(self, happened: Sequence[Occurrence], now: float) -> Outputs:
        """Tell what happened between two ticks; in mid-turn she sees what is worth it."""
        yield from field_events(happened, self._world.tick, now, between=True)
        if self.busy and self._world.would_capture():
            yield from self.stir(now)

    def stir(self, now: float) -> Outputs:
        """Something has arrived: knock and show it, at once or with what else arrives now."""
        return self._stirred(now) if self._throttle.passes(now) else ()

    def _stirred(self, now: float) -> Outputs:
        self._throttle.passed()
        yield from self._door.knock(now)
        if self.busy:
            yield from self.show(now)[1]

    def show(self, now: float) -> tuple[View, list[Output]]:
        """Render anew between ticks: attend, lay out, no decay and no prediction.

        Returns
        -------
        tuple
            The new view, and the outputs that tell it and what happened with it.
        """
        self._perception.messages.put_before_her(self._door.foremost)
        happened = self._world.attend()
        seen = self.view(now)
        events = field_events(happened, self._world.tick, now, between=False)
        return seen, [seen, *events]

    def view(self, now: float) -> View:
        """Render what there is."""
        self.render += 1
        clean = self._perception.messages.clean
        messages = [clean(message) for message in self._door.messages]
        return self._perception.view(
            now, self.wake, self.render, messages, self.causes, self._door.more
        )
