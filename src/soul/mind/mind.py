"""The mind: begins a turn for each new wake, lives it, tells the others how it went.

Everything here runs on one event loop; `soul.mind.organ` is its border to the other organs.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from soul.mind.acts import ActsWatch
from soul.mind.agenda import Agenda
from soul.mind.availability import Availability
from soul.mind.config import MindConfig
from soul.mind.counters import Counters
from soul.mind.day import Day
from soul.mind.dreaming import Dreaming
from soul.mind.inside import Inside
from soul.mind.late_save import LateSave
from soul.mind.later import Later
from soul.mind.ledger import Ledger, Orphan, turn_from
from soul.mind.moment import Circumstances, moment
from soul.mind.order import Order
from soul.mind.ports import Ports
from soul.mind.prompt import Prompt
from soul.mind.providers.base import Provider, ProviderError
from soul.mind.session import Session
from soul.mind.stream import Means, Stream
from soul.mind.streams import Streams
from soul.mind.tools.base import Toolbox
from soul.mind.waking import Cut
from soul.mind.wall import Allowance, Exhausted, Wall
from soul.mind.words import Words
from soul.organ import Report
from soul.signals import (
    YES,
    Act,
    BodyState,
    Energy,
    GuardState,
    HeartState,
    MindState,
    Outcome,
    Phase,
    Turn,
    View,
    Wake,
    WakeCause,
)

#: What the guard serves to the mind.
GUARDED = frozenset({'speak', 'look', 'guard/authorize', 'guard/receipt'})


#: The disk learns of a turn that has begun after this, s: the request to the model goes first.
COMMIT_SECONDS = 0.005
#: What changes from step to step is told after this, s, unless something else is told before.
TELL_SECONDS = 0.5


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
        provider: Provider,
        toolbox: Toolbox,
        prompt: Prompt,
        words: Words,
        inside: Inside,
        ledger: Ledger,
        sessions: Callable[[str], Session],
        rng: random.Random,
        memory: Mapping[str, Any] | None = None,
        past: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        memory = memory or {}
        self._config = config
        self._ports = ports
        self._provider = provider
        self._words = words
        self._inside = inside
        self._ledger = ledger
        self._rng = rng
        self._order = Order(memory, rng)
        self._counters = Counters.from_memory(memory.get('counters'))
        self._last = turn_from(memory.get('last_turn'))
        self._day = Day(self._counters, memory.get('energy'))
        self._wall = Wall(config, ports, provider, ledger, self._counters, self._day)
        self._available = Availability(
            self._publish_and_go_on,
            ports.pause,
            lambda trouble: ports.emit(Report('warning', f'she cannot think: {trouble}')),
        )
        self._acts = ActsWatch(memory.get('told', ()))
        self._later = Later(ports.emit, ports.now, memory.get('later', ()))
        self._active = False
        self._closing = False
        self._warming: asyncio.Task[None] | None = None
        self._settled = config.settle_seconds == 0.0
        self._stopped = False
        self._guard_epoch = 0
        self._disk = ''  # why her life cannot be written
        self._body: BodyState | None = None
        self._heart: HeartState | None = None
        self._told_state: tuple[object, ...] = ()  # what others know of it
        self._telling: asyncio.Task[None] | None = None
        self._committing: asyncio.Task[None] | None = None
        self._saving = LateSave(
            ports, lambda: ports.save(self.memory()), lambda: self._streams.busy, self._unwritten
        )
        self._new = not memory
        means = Means(
            config,
            ports,
            self._wall,
            toolbox,
            prompt,
            words,
            ledger,
            self._acts,
            self._available,
            self._later,
            lambda: self._body,
            self._moment,
            self._ended,
            self._publish,
            self._saving.want,
            self._commit,
            self._unwritten,
        )
        self._streams = Streams(sessions, means, memory.get('dealt', ()))
        self._dreaming = Dreaming(inside, means, self._dreamt)
        self._agenda = Agenda(
            ports,
            words,
            ledger,
            self._later,
            self._order,
            self._streams,
            self._wall,
            self._ready,
            self._begun,
            self._told,
            self._unwritten,
        )
        self._orphans = self._recover(past)

    def _recover(self, past: Iterable[Mapping[str, Any]]) -> list[Orphan]:
        turns, orphans = self._ledger.read(past)
        for turn in turns:
            if turn.epoch == self._order.epoch and turn.sequence > self._order.sequence:
                self._order.sequence, self._last = turn.sequence, turn
                self._counters.add_turn(turn, turn.steps > 0)
                self._streams.dealt(turn)
                self._order.begin(turn.wake)
        for orphan in orphans:
            self._order.begin(orphan.wake)
        return orphans

    # --- life cycle -----------------------------------------------------------------------

    def start(self) -> None:
        """Close the turns a crash has left open, and say that she is there."""
        if self._new:  # the epoch that all her numbers are told with
            self._write(lambda: self._ports.save(self.memory()))
        orphans, self._orphans = self._orphans, []
        for orphan in orphans:
            if not orphan.sequence:  # a call outside any turn, of which nothing was heard
                self._counters.add(orphan.usage, orphan.cost)
                self._ledger.used(0, orphan.usage, orphan.cost)
                self._saving.want()
                continue
            self._order.sequence = max(self._order.sequence, orphan.sequence)
            turn = self._orphan_turn(orphan)
            self._counters.spend(turn)
            self._streams.dealt(turn)
            for reply in orphan.replies:  # the same id again: nobody hears it twice
                self._ports.emit(reply)
            self._told(turn)
        self._publish()

    def _orphan_turn(self, orphan: Orphan) -> Turn:
        answered = tuple(r.in_reply_to for r in orphan.replies if r.in_reply_to)
        return Turn(
            stamp=self._ports.now(),
            epoch=self._order.epoch,
            sequence=orphan.sequence,
            wake=orphan.wake,
            session=orphan.session,
            messages_seen=answered,
            messages_answered=answered,
            talk=bool(orphan.replies),
            steps=orphan.steps,
            tokens_in=orphan.usage.tokens_in,
            tokens_cached=orphan.usage.cached,
            tokens_out=orphan.usage.tokens_out,
            cost=orphan.cost,
            outcome=Outcome.FAILED,
            detail='the process ended in mid-turn',
        )

    def activate(self) -> None:
        """Think from now on."""
        self._closing = False
        if self._config.warm_up:
            self._warming = asyncio.get_running_loop().create_task(self._warm_up())
            self._warming.add_done_callback(self._warmed)
        else:
            self._think_from_now_on()

    async def _warm_up(self) -> None:
        """Let the server read what stands first; she is not there before."""
        try:
            await self._wall.ask(self._streams.main.first(), lambda kind, text: None, Allowance())
        except ProviderError as error:
            self._available.failed(error)
        except Exhausted as limit:
            self._ports.emit(Report('warning', f'she does not warm up: {limit}'))
        finally:  # whatever went wrong, she is there; unless she was told not to think
            self._warming = None
            if not self._closing:
                self._think_from_now_on()

    def _warmed(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._ports.emit(Report('error', f'warming up failed: {error!r}'))

    def _think_from_now_on(self) -> None:
        self._active = True
        if not self._settled:
            # Whoever is asked to speak before the body has answered says nothing.
            loop = asyncio.get_running_loop()
            loop.call_later(self._config.settle_seconds, self._settle)
        self._publish_and_go_on()

    def _look_around(self) -> None:
        """Wait no longer, once body and guard are there."""
        body = self._body
        if body is not None and body.connected == YES and self._day.known:
            self._settle()

    def _settle(self) -> None:
        if not self._settled:
            self._settled = True
            self._agenda.go_on()

    def deactivate(self) -> None:
        """Think no more; turns in progress are cut."""
        self._active = False
        if self._warming is not None:
            self._closing = True
            self._warming.cancel()
        self._streams.cut(Cut(Outcome.CUT, 'the mind was deactivated'))
        self._dreaming.cut('the mind was deactivated')
        self._publish()

    async def close(self) -> None:
        """End: cut what is in progress and wait for it."""
        self.deactivate()
        await self._streams.close(2.0)
        await self._dreaming.close(2.0)
        self._saving.close()
        for task in (self._telling, self._committing):
            if task is not None:
                task.cancel()
        self._available.close()
        await self._provider.close()

    # --- hearing --------------------------------------------------------------------------

    def on_view(self, view: View) -> None:
        """See; a view of a wake that has not begun yet begins a turn."""
        self._streams.see(view)
        if self._order.is_new(view.wake):
            self._dreaming.cut('she was woken')
        if self._agenda.somebody_new(view) and self._active and self._available.sooner():
            self._publish()
        self._agenda.see(view)
        if self._active and not self._available.now:
            waiting = [m for m in view.messages if not self._streams.known(view).get(m.id)]
            self._later.tell(waiting, self._words.say('later.cannot', why=self._available.why))

    def on_wake(self, wake: Wake) -> None:
        """Dream: such a wake comes to the mind alone, without a view."""
        if set(wake.causes) != {WakeCause.DREAM} or not self._order.is_new(wake.id):
            return
        ready = self._active and not (self._stopped or self._orphans or self._agenda.waits)
        if not ready or self._streams.busy or self._dreaming.busy:
            return  # the heart sends it again, or lets it go
        sequence = self._order.next()
        try:
            self._ledger.begin(wake.id, sequence, '', self._ports.now())
        except OSError as error:
            self._unwritten(error)
            return
        self._order.begin(wake.id)
        self._dreaming.begin(wake, self._order.epoch, sequence)
        self._write(self._commit)  # nobody waits for a dream
        self._publish()

    def _dreamt(self, turn: Turn) -> None:
        self._told(turn, False)
        self._agenda.go_on()

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
        before, self._stopped = self._stopped, stopped
        if stopped and not before:
            self._streams.cut(Cut(Outcome.STOPPED, reason or 'stopped'))
            self._dreaming.cut(reason or 'stopped')
        if stopped != before:
            self._publish_and_go_on()

    def on_energy(self, energy: Energy) -> None:
        """Feel how much is left."""
        self._day.hear(energy)
        self._look_around()
        self._agenda.go_on()

    def on_body_state(self, body: BodyState) -> None:
        """Feel the body."""
        self._body = body
        self._look_around()

    def on_heart_state(self, heart: HeartState) -> None:
        """Feel what stirs."""
        self._heart = heart

    def on_act(self, act: Act) -> None:
        """Hear how an outward act goes."""
        self._acts.heard(act)

    # --- turns ----------------------------------------------------------------------------

    def _ready(self) -> bool:
        """Whether she may think."""
        ready = self._active and self._settled and not (self._orphans or self._dreaming.busy)
        return ready and self._available.now and not self._stopped

    def _moment(self, view: View, stream: Stream) -> str:
        now = self._ports.now()
        around = Circumstances(
            now=now,
            session=stream.name,
            slept=now - stream.used if stream.used else None,
            unfinished=stream.unfinished,
            uncertain=self._acts.in_doubt(),
            others=self._streams.others(stream, now),
            body=self._body,
            heart=self._heart,
        )
        inner = self._inside.inner(view, now, self._rng)
        for odd in inner.odd:
            self._ports.emit(Report('warning', odd))
        return moment(view, inner, around, self._words, self._config.compact)

    def _begun(self) -> None:
        """Turns have begun: the disk knows it soon, and then the others.

        The request to the model does not wait for the disk; her first deed does.
        """
        self._committing = asyncio.get_running_loop().create_task(self._commit_soon())

    async def _commit_soon(self) -> None:
        await self._ports.pause(COMMIT_SECONDS)
        self._write(self._commit)
        self._publish()

    def _commit(self) -> None:
        """Make sure that what has begun is on the disk.

        Raises
        ------
        OSError
            If it cannot be brought there.
        """
        if self._order.told != self._order.begun:
            begun = self._order.begun
            self._ledger.sync()
            self._order.on_disk(begun)
            self._publish()

    def _write(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            self._unwritten(error)

    def _ended(self, stream: Stream, turn: Turn) -> None:
        self._streams.dealt(turn)
        self._told(turn, turn.steps > 0)
        self._agenda.go_on()

    def _told(self, turn: Turn, counts: bool = True) -> None:
        """Write down how a turn ended, then tell.

        Parameters
        ----------
        counts
            Whether it was a waking of her day; one in which no model has answered was none.
        """
        self._counters.wakings += counts
        if turn.sequence >= self._last.sequence or turn.epoch != self._last.epoch:
            self._last = turn
        try:
            self._ledger.end(turn)
            self._order.on_disk(self._order.begun)
            self._saving.want()
            self._disk = ''
        except OSError as error:
            # It is told all the same: after a crash the turn would be closed again under its
            # number, and nobody counts a number twice.
            self._unwritten(error)
        self._ports.emit(turn)
        self._publish()

    def _unwritten(self, error: OSError) -> None:
        self._disk = f'her life cannot be written: {error}'
        self._ports.emit(Report('error', self._disk))

    def memory(self) -> dict[str, Any]:
        """What must survive."""
        return {
            **self._order.memory(),
            'counters': self._counters.memory(),
            'last_turn': dataclasses.asdict(self._last) if self._last.sequence else None,
            'energy': self._day.memory(),
            'later': self._later.memory(),
            'dealt': self._streams.memory(),
            'told': self._acts.memory(),
            **self._inside.kept(),
        }

    # --- telling --------------------------------------------------------------------------

    def _publish_and_go_on(self) -> None:
        self._publish()
        self._agenda.go_on()

    def _publish(self) -> None:
        """Tell others how she is if it differs in what they go by; the rest they hear soon."""
        state = self.state()
        if _essence(state) != self._told_state:
            self._tell(state)
        elif self._telling is None:
            self._telling = asyncio.get_running_loop().create_task(self._tell_soon())

    async def _tell_soon(self) -> None:
        await self._ports.pause(TELL_SECONDS)
        self._telling = None
        self._tell(self.state())

    def _tell(self, state: MindState) -> None:
        self._told_state = _essence(state)
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        self._ports.emit(state)

    def state(self) -> MindState:
        """The mind's state as it is published."""
        return MindState(
            stamp=self._ports.now(),
            epoch=self._order.epoch,
            phase=self.phase,
            begun=self._order.told,
            sessions=self._streams.states(),
            model_available=self._active and self._available.now and not self._stopped,
            model=self._provider.name,
            trouble=self.trouble,
            open_loops=self._inside.open_loops(self._ports.now()),
            tokens=self._counters.tokens,
            cost=self._counters.cost,
            wakings=self._counters.wakings,
            last_turn=self._last,
        )

    @property
    def phase(self) -> str:
        """The mind's phase."""
        if self._stopped:
            return Phase.STOPPED
        if not self._active:
            return Phase.INACTIVE
        if self._streams.busy:
            return Phase.WAKING
        return Phase.DREAMING if self._dreaming.busy else Phase.IDLE

    @property
    def trouble(self) -> str:
        """What is wrong with the model or the disk; empty if nothing is."""
        if not self._disk and self._day.spent(trusted=False):
            kept = '' if self._day.spent(trusted=True) else ', but for what is kept for her people'
            return f'her energy for today is spent{kept}'
        return self._disk or self._available.trouble


def _essence(state: MindState) -> tuple[object, ...]:
    """What others act on as soon as it changes; what she is at from step to step is not of it."""
    sessions = tuple((s.session, s.message_ids) for s in state.sessions)
    turn = (state.last_turn.epoch, state.last_turn.sequence)
    known = (state.epoch, state.begun, state.wakings, turn)
    return (state.phase, sessions, state.model_available, state.model, state.trouble, *known)
