"""The mind: begins a turn for each new wake, lives it, tells the others how it went.

Everything here runs on one event loop; `soul.mind.organ` is its border to the other organs.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
from collections.abc import Iterable, Mapping
from typing import Any

from soul.mind.acts import ActsWatch
from soul.mind.availability import Availability
from soul.mind.config import MindConfig
from soul.mind.counters import Counters
from soul.mind.later import Later, out_of_energy
from soul.mind.ports import Ports
from soul.mind.providers.base import Provider, ProviderError
from soul.mind.session import Orphan, Session
from soul.mind.tools.base import Toolbox
from soul.mind.waking import Cut, Waking
from soul.signals import (
    Act,
    Call,
    Energy,
    GuardState,
    MindState,
    NamedValue,
    Outcome,
    Phase,
    SessionState,
    Turn,
    View,
    Wake,
    WakeCause,
    WakeId,
    newer,
)

#: What the guard serves to the mind.
GUARDED = frozenset({'speak', 'look', 'guard/authorize', 'guard/receipt'})


class Mind:
    """One stream of consciousness.

    Parameters
    ----------
    past
        Newest part of the life session's journal.
    memory
        What was saved in an earlier life.
    """

    def __init__(
        self,
        config: MindConfig,
        ports: Ports,
        provider: Provider,
        toolbox: Toolbox,
        session: Session,
        rng: random.Random,
        memory: Mapping[str, Any] | None = None,
        past: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        memory = memory or {}
        self._config = config
        self._ports = ports
        self._provider = provider
        self._toolbox = toolbox
        self._session = session
        self._epoch: int = memory.get('epoch') or rng.getrandbits(48) | 1
        self._sequence: int = memory.get('sequence', 0)
        self._begun = WakeId(*memory.get('begun', (0, 0)))
        self._counters = Counters.from_memory(memory.get('counters'))
        self._last = turn_from(memory.get('last_turn'))
        self._available = Availability(self._publish_and_go_on)
        self._acts = ActsWatch()
        self._later = Later(ports.emit, ports.now)
        self._active = False
        self._stopped = False
        self._guard_epoch = 0
        self._energy: Energy | None = None
        self._waking: Waking | None = None
        self._task: asyncio.Task[Turn] | None = None
        self._runner: asyncio.Task[None] | None = None
        self._cut: Cut | None = None
        self._next: View | None = None
        self._orphan = self._recover(list(past))

    def _recover(self, past: list[Mapping[str, Any]]) -> Orphan | None:
        for entry in past:
            if entry.get('kind') == 'turn':
                turn = turn_from(entry['turn'])
                if turn.epoch == self._epoch and turn.sequence > self._sequence:
                    self._sequence, self._last, self._begun = turn.sequence, turn, turn.wake
                    self._counters.add_turn(turn)
        orphan = self._session.load(past)
        if orphan is not None:
            self._begun = orphan.wake
        return orphan

    # --- life cycle -----------------------------------------------------------------------

    def start(self) -> None:
        """Close the turn a crash has left open, and say that she is there."""
        orphan = self._orphan
        if orphan is not None:
            self._sequence = max(self._sequence + 1, orphan.sequence)
            answered = tuple(r.in_reply_to for r in orphan.replies if r.in_reply_to)
            turn = Turn(
                stamp=self._ports.now(),
                epoch=self._epoch,
                sequence=self._sequence,
                wake=orphan.wake,
                messages_seen=answered,
                messages_answered=answered,
                talk=bool(orphan.replies),
                steps=orphan.steps,
                tokens_in=orphan.tokens_in,
                tokens_cached=orphan.cached,
                tokens_out=orphan.tokens_out,
                cost=orphan.cost,
                outcome=Outcome.FAILED,
                detail='the process ended in mid-turn',
            )
            self._counters.spend(turn)
            for reply in orphan.replies:  # the same id again: nobody hears it twice
                self._ports.emit(reply)
            self._ended(turn)
            self._orphan = None
        else:
            self._publish()

    def activate(self) -> None:
        """Think from now on."""
        self._active = True
        self._publish_and_go_on()

    def deactivate(self) -> None:
        """Think no more; a turn in progress is cut."""
        self._active = False
        self.cut(Cut(Outcome.CUT, 'the mind was deactivated'))
        self._publish()

    async def close(self) -> None:
        """End: cut what is in progress and wait for it."""
        self.deactivate()
        if self._runner is not None:
            await asyncio.wait({self._runner}, timeout=2.0)
        self._available.close()
        await self._provider.close()

    # --- hearing --------------------------------------------------------------------------

    def on_view(self, view: View) -> None:
        """See; a view of a wake that has not begun yet begins a turn."""
        if self._waking is not None:
            if newer(view.wake, self._begun):
                self._next = view
            elif self._waking.interrupted(view):
                self.cut(Cut(Outcome.CUT, 'interrupted'))
            else:
                self._waking.see(view)
            return
        if newer(view.wake, self._begun) and view.wake.sequence:
            self._next = view
            self._go_on()

    def on_wake(self, wake: Wake) -> None:
        """A dream comes to the mind alone; it has none to dream yet and lets it pass."""
        if set(wake.causes) != {WakeCause.DREAM} or not newer(wake.id, self._begun):
            return
        if self._waking is None and self._active:
            self._sequence += 1
            self._session.begin(wake.id, self._sequence, self._ports.now())
            self._begun = wake.id
            self._ended(
                Turn(
                    stamp=self._ports.now(),
                    epoch=self._epoch,
                    sequence=self._sequence,
                    wake=wake.id,
                    causes=wake.causes,
                    declined=True,
                    outcome=Outcome.SLEPT,
                    detail='a dreamless moment',
                )
            )

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
            self.cut(Cut(Outcome.STOPPED, reason or 'stopped'))
        if stopped != before:
            self._publish_and_go_on()

    def on_energy(self, energy: Energy) -> None:
        """Feel how much is left."""
        self._energy = energy
        self._go_on()

    def on_act(self, act: Act) -> None:
        """Hear how an outward act goes."""
        self._acts.heard(act)

    # --- turns ----------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Begin the turn of the newest view, if nothing is in the way."""
        view = self._next
        if view is None or self._waking is not None or self._orphan is not None:
            return
        if not (self._active and self._available.now) or self._stopped:
            return
        if not newer(view.wake, self._begun):
            self._next = None
            return
        if self._energy is not None and self._energy.spent and not self._reserve(view):
            self._later.tell(view.messages, out_of_energy(self._energy))
            return
        self._next = None
        self._runner = asyncio.get_running_loop().create_task(self._run(view))

    def _reserve(self, view: View) -> bool:
        """When her energy is spent, only her people are answered, from the reserve."""
        trusted = any(message.trusted for message in view.messages)
        return trusted and self._energy is not None and not self._energy.reserve_spent

    async def _run(self, view: View) -> None:
        self._sequence += 1
        # On the disk before anything happens: this wake is never lived twice.
        self._session.begin(view.wake, self._sequence, self._ports.now())
        self._begun = view.wake
        waking = self._waking = Waking(
            view,
            self._epoch,
            self._sequence,
            self._config,
            self._ports,
            self._provider,
            self._toolbox,
            self._session,
            self._counters,
            self._acts.ended,
            self._publish,
        )
        self._cut = None
        self._publish()
        self._task = asyncio.get_running_loop().create_task(waking.live())
        turn = await self._outcome(waking, self._task)
        self._waking = self._task = None
        self._ended(turn)
        self._go_on()

    async def _outcome(self, waking: Waking, task: asyncio.Task[Turn]) -> Turn:
        while not task.done():
            await asyncio.wait({task}, timeout=max(0.05, waking.left()))
            if not task.done() and waking.left() <= 0.0:
                seconds = self._config.waking_seconds
                self.cut(Cut(Outcome.CUT, f'nothing happened for {seconds:g} s'))
        try:
            turn = task.result()
        except asyncio.CancelledError:
            cut = self._cut or Cut(Outcome.CUT, 'cancelled')
            return waking.turn(cut.outcome, cut.detail)
        except Cut as cut:
            return waking.turn(cut.outcome, cut.detail)
        except ProviderError as error:
            self._available.failed(str(error), error.lasting)
            self._later.tell(waking.view.messages, f'She cannot think now: {error}.')
            return waking.turn(Outcome.FAILED, str(error))
        self._available.worked()
        return turn

    def cut(self, cut: Cut) -> None:
        """End the turn in progress at once."""
        if self._task is not None and not self._task.done():
            self._cut = cut
            self._task.cancel()

    def _ended(self, turn: Turn) -> None:
        self._counters.wakings += 1
        self._last = turn
        self._session.end(turn)
        self._ports.save(self.memory())
        self._ports.emit(turn)
        self._publish()

    def memory(self) -> dict[str, Any]:
        """What must survive."""
        return {
            'epoch': self._epoch,
            'sequence': self._sequence,
            'begun': [self._begun.epoch, self._begun.sequence],
            'counters': self._counters.memory(),
            'last_turn': dataclasses.asdict(self._last) if self._last.sequence else None,
        }

    # --- telling --------------------------------------------------------------------------

    def _publish_and_go_on(self) -> None:
        self._publish()
        self._go_on()

    def _publish(self) -> None:
        self._ports.emit(self.state())

    def state(self) -> MindState:
        """The mind's state as it is published."""
        sessions: tuple[SessionState, ...] = ()
        if self._waking is not None:
            now = self._waking
            sessions = (SessionState(now.session, now.stage, now.seconds),)
        return MindState(
            stamp=self._ports.now(),
            epoch=self._epoch,
            phase=self.phase,
            begun=self._begun,
            sessions=sessions,
            model_available=self._active and self._available.now and not self._stopped,
            model=self._provider.name,
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
        return Phase.WAKING if self._waking is not None else Phase.IDLE

    @property
    def trouble(self) -> str:
        """What is wrong with the model; empty if nothing is."""
        return self._available.trouble


def turn_from(plain: Mapping[str, Any] | None) -> Turn:
    """Read a turn that was kept as plain values."""
    if not plain:
        return Turn()
    return Turn(
        **{
            **plain,
            'wake': WakeId(**plain['wake']),
            'causes': tuple(plain['causes']),
            'calls': tuple(Call(**call) for call in plain['calls']),
            'messages_seen': tuple(plain['messages_seen']),
            'messages_answered': tuple(plain.get('messages_answered', ())),
            'drives': tuple(NamedValue(**value) for value in plain['drives']),
        }
    )
