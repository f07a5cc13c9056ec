"""How the mind is, as it is published and told on /diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from soul.mind.availability import Availability
from soul.mind.briefing import Briefing
from soul.mind.conversations import Conversations
from soul.mind.counters import Counters
from soul.mind.day import Day
from soul.mind.dreaming import Dreaming
from soul.mind.providers.models import Models
from soul.mind.readiness import Readiness
from soul.mind.turn_book import TurnBook
from soul.mind.turns import Turns
from soul.signals import MindState, Phase


@dataclass(frozen=True)
class MindStatus:
    """Reads the state off the parts that have it.

    Parameters
    ----------
    now
        Seconds of the node's clock.
    models
        What she thinks with.
    """

    now: Callable[[], float]
    models: Models
    readiness: Readiness
    available: Availability
    book: TurnBook
    day: Day
    counters: Counters
    briefing: Briefing
    turns: Turns
    conversations: Conversations
    dreaming: Dreaming

    def state(self) -> MindState:
        """Return the mind's state as it is published."""
        return MindState(
            stamp=self.now(),
            epoch=self.book.ids.epoch,
            phase=self.phase,
            begun=self.book.ids.told,
            sessions=self.conversations.states(),
            model_available=self.readiness.awake and self.available.now,
            model=self.models.name,
            trouble=self.trouble,
            open_loops=self.briefing.open_loops(),
            tokens=self.counters.tokens,
            cost=self.counters.cost,
            cost_known=self.models.priced,
            wakings=self.counters.wakings,
            last_turn=self.turns.last,
        )

    @property
    def phase(self) -> str:
        """One of the phases of :class:`soul.signals.Phase`."""
        if self.readiness.stopped:
            return Phase.STOPPED
        if not self.readiness.active:
            return Phase.INACTIVE
        if self.conversations.busy:
            return Phase.WAKING
        return Phase.DREAMING if self.dreaming.busy else Phase.IDLE

    @property
    def trouble(self) -> str:
        """What is wrong with the model or the disk; empty if nothing is."""
        if not self.book.trouble and self.day.spent(trusted=False):
            kept = '' if self.day.spent(trusted=True) else ', but for what is kept for her people'
            return f'her energy for today is spent{kept}'
        return self.book.trouble or self.available.trouble
