"""The mind: begins turns, publishes what they do, and never lives a wake twice."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from soul.core.organ import Report
from soul.mind.acts import ActsWatch
from soul.mind.availability import Availability
from soul.mind.briefing import Briefing
from soul.mind.cache_advice import CacheWatch
from soul.mind.config import MindConfig
from soul.mind.conversations import Conversations
from soul.mind.counters import Counters
from soul.mind.cut import Cut
from soul.mind.day import Day
from soul.mind.dreaming import Dreaming
from soul.mind.inference import Inference
from soul.mind.inside import Inside
from soul.mind.late_save import LateSave
from soul.mind.mind_memory import MindMemory
from soul.mind.mind_status import MindStatus
from soul.mind.ports import Ports
from soul.mind.prompt import Prompt
from soul.mind.providers.models import Models
from soul.mind.readiness import Readiness
from soul.mind.session import Session
from soul.mind.state_teller import StateTeller
from soul.mind.tools.base import Toolbox
from soul.mind.turn_book import TurnBook
from soul.mind.turn_ids import TurnIds
from soul.mind.turn_ledger import TurnLedger
from soul.mind.turns import Turns
from soul.mind.wall import Wall
from soul.mind.words import Words
from soul.signals import (
    YES,
    Act,
    BodyState,
    Energy,
    GuardState,
    HeartState,
    Outcome,
    Turn,
    View,
    Wake,
    WakeCause,
)

#: Served by the guard: what was asked of one that is not there any more gets no answer.
GUARDED = frozenset({'speak', 'look', 'guard/authorize', 'guard/receipt'})


class Mind:
    """One stream of consciousness, and conversations beside it.

    Parameters
    ----------
    sessions
        Opens the session of a name; empty: the one stream of consciousness.
    past
        Newest part of the ledger.
    memory
        What was saved in an earlier life.
    """

    def __init__(
        self,
        config: MindConfig,
        ports: Ports,
        models: Models,
        toolbox: Toolbox,
        prompt: Prompt,
        words: Words,
        inside: Inside,
        ledger: TurnLedger,
        sessions: Callable[[str], Session],
        rng: random.Random,
        memory: MindMemory | None = None,
        past: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._new = memory is None
        memory = memory or MindMemory(epoch=0, counters={})
        self._config = config
        self._ports = ports
        self._models = models
        self._inside = inside
        self._guard_epoch = 0
        self._readiness = Readiness(config, ports, self._warm_up, self._changed_and_go_on)
        self._counters = Counters.from_memory(memory.counters)
        self._day = Day(self._counters, memory.energy)
        self._book = TurnBook(
            TurnIds(memory.epoch, memory.sequence, memory.begun, rng),
            ledger,
            ports.now,
            lambda trouble: ports.emit(Report('error', trouble)),
        )
        self._available = Availability(
            self._changed_and_go_on,
            ports.pause,
            lambda trouble: ports.emit(Report('warning', f'she cannot think: {trouble}')),
            models.free_in,
            models.sooner,
        )
        wall = Wall(config, ports, models.metered, ledger, self._counters, self._day)
        self._inference = Inference(wall, self._available, models, ports.emit, ports.now)
        self._acts = ActsWatch(memory.told)
        self._briefing = Briefing(
            prompt, words, toolbox, inside, self._acts, rng, ports.now, ports.emit, config.compact
        )
        self._teller = StateTeller(
            ports, lambda: self.status.state(), lambda: not self._book.settling
        )
        self._saving = LateSave(ports, self._save, lambda: self._busy, self._book.unwritten)

        self._conversations = Conversations(
            sessions,
            config,
            ports,
            self._inference,
            self._briefing,
            self._book,
            self._teller.changed,
            memory.dealt,
        )
        self._turns = Turns(
            ports,
            words,
            self._inference,
            self._book,
            self._counters,
            self._saving,
            self._conversations,
            self._ready,
            self._teller.changed,
            memory,
            past,
        )
        self._cache_watch = CacheWatch(
            models.cache, past, lambda: wall.length(self._conversations.main.first()), ports.emit
        )
        self._dreaming = Dreaming(inside, self._inference, ports, self._dreamt)
        self.status = MindStatus(
            ports.now,
            models,
            self._readiness,
            self._available,
            self._book,
            self._day,
            self._counters,
            self._briefing,
            self._turns,
            self._conversations,
            self._dreaming,
        )

    def memory(self) -> MindMemory:
        """Return what must survive beside ledger and sessions."""
        return MindMemory(
            **self._turns.memory(),
            counters=self._counters.memory(),
            energy=self._day.memory(),
            told=tuple(self._acts.memory()),
            shares=self._inside.shares(),
        )

    def _save(self) -> None:
        self._ports.save(self.memory())

    # --- life cycle -----------------------------------------------------------------------

    def start(self) -> None:
        """Close the turns a crash has left open, and say that she is there."""
        if self._new:  # the epoch that all her numbers are told with
            self._book.attempt(self._save)
        self._turns.close_orphans()
        self._teller.changed()

    def activate(self) -> None:
        """Think from now on: from here on it may cost something."""
        self._readiness.activate()

    async def _warm_up(self) -> None:
        limit = await self._inference.warm_up(self._conversations.main.first())
        if limit:
            self._ports.emit(Report('warning', f'she does not warm up: {limit}'))
        self._saving.want()

    def _look_around(self) -> None:
        """Wait no longer, once body and guard are there."""
        body = self._briefing.body
        if body is not None and body.connected == YES and self._day.known:
            self._readiness.met()

    def deactivate(self) -> None:
        """Think no more; turns in progress are cut."""
        self._readiness.deactivate()
        self._conversations.cut(Cut(Outcome.CUT, 'the mind was deactivated'))
        self._dreaming.cut('the mind was deactivated')
        self._teller.changed()

    async def close(self) -> None:
        """End: cut what is in progress and wait for it."""
        self.deactivate()
        await self._turns.close(2.0)
        await self._dreaming.close(2.0)
        self._saving.close()
        self._teller.close()
        self._available.close()
        await self._models.close()

    # --- hearing --------------------------------------------------------------------------

    def on_view(self, view: View) -> None:
        """See; a view of a wake that has not begun yet begins a turn."""
        self._conversations.see(view)
        if self._book.ids.is_new(view.wake):
            self._dreaming.cut('she was woken')
        if self._turns.somebody_new(view) and self._readiness.active and self._available.sooner():
            self._teller.changed()
        self._turns.see(view)
        if self._readiness.active and not self._available.now:
            self._turns.defer(view)

    def on_wake(self, wake: Wake) -> None:
        """Dream: such a wake comes to the mind alone, without a view."""
        book = self._book
        if set(wake.causes) != {WakeCause.DREAM} or not book.ids.is_new(wake.id):
            return
        held = self._readiness.stopped or self._turns.open_before or self._turns.waits
        if held or self._busy or not self._readiness.active:
            return  # the heart sends it again, or lets it go
        try:
            sequence = book.begin(wake.id, '')
        except OSError as error:
            book.unwritten(error)
            return
        book.ids.begin(wake.id)
        self._dreaming.begin(wake, book.ids.epoch, sequence)
        book.attempt(book.settle)  # nobody waits for a dream
        self._teller.changed()

    def _dreamt(self, turn: Turn) -> None:
        self._turns.told(turn, False)
        self._turns.go_on()

    def on_guard_state(self, state: GuardState) -> None:
        """Stop at once, or go on; catch up with acts whose end was missed."""
        if self._guard_epoch not in (0, state.epoch):
            self._ports.lost(GUARDED)
        self._guard_epoch = state.epoch
        for act in state.recent:
            self._acts.heard(act)
        self.stop(state.stopped, state.stop_reason)

    def stop(self, stopped: bool, reason: str = '') -> None:
        """Stop at once, in mid-stream too; or go on."""
        before, self._readiness.stopped = self._readiness.stopped, stopped
        if stopped and not before:
            self._conversations.cut(Cut(Outcome.STOPPED, reason or 'stopped'))
            self._dreaming.cut(reason or 'stopped')
        if stopped != before:
            self._changed_and_go_on()

    def on_energy(self, energy: Energy) -> None:
        """Feel how much is left."""
        self._day.hear(energy)
        self._look_around()
        self._turns.go_on()

    def on_body_state(self, body: BodyState) -> None:
        """Keep how the body is, for what she reads next."""
        self._briefing.body = body
        self._look_around()

    def on_heart_state(self, heart: HeartState) -> None:
        """Keep what stirs in her, for what she reads next."""
        self._briefing.heart = heart
        self._cache_watch.hear(heart.rate_per_hour)

    def on_act(self, act: Act) -> None:
        """Hear how an outward act goes."""
        self._acts.heard(act)

    # --- how she is -----------------------------------------------------------------------

    @property
    def _busy(self) -> bool:
        return self._conversations.busy or self._dreaming.busy

    def _ready(self) -> bool:
        """Whether she may think."""
        held = self._turns.open_before or self._dreaming.busy
        return self._readiness.thinks and self._available.now and not held

    def _changed_and_go_on(self) -> None:
        self._teller.changed()
        self._turns.go_on()
