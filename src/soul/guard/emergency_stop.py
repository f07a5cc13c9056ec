"""The emergency stop: stop, pause, resume, and the STOP file. Nothing can gate it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass

from soul.core.organ import Answer, Ask, CancelAsk, Finish, Report, Save
from soul.core.output import Outputs
from soul.guard.acts import Acts
from soul.guard.audit import Audit
from soul.guard.memory import GuardMemory
from soul.signals import GuardState, Phase, TriggerAnswer, TriggerRequest

#: Longest time to wait for the word of the body and of the mind that they have stopped, s. Only
#: the answer to whoever ordered it waits for it, never the stop.
HALT_SECONDS = 1.0
#: Tokens of the question to the body begin with it.
HALT = 'halt '
#: Reason of a stop whose file says nothing.
UNSAID = 'STOP file'


class EmergencyStop:
    """Whether anything may act at all.

    Parameters
    ----------
    stop_file
        Reads and writes the STOP file: called with a reason to write it, with None to remove
        it.
    stopped
        What the STOP file says now; None: it is not there.
    state
        Makes the guard's state as it is published.
    """

    def __init__(
        self,
        acts: Acts,
        audit: Audit,
        stop_file: Callable[[str | None], None],
        stopped: str | None,
        state: Callable[[float], GuardState],
        memory: GuardMemory | None = None,
    ) -> None:
        self._acts = acts
        self._audit = audit
        self._stop_file = stop_file
        self._state = state
        self.stopped = stopped is not None
        self.reason = stopped or ''
        self.epoch = memory.stop_epoch if memory else 0  # counts stops
        self.paused = memory.paused if memory else False
        #: Why the STOP file is not there though she is stopped; empty: it is, or need not be.
        self.unwritten = ''
        #: What has not confirmed the stop, in words; empty: all did.
        self.unconfirmed = ''
        self._orders: dict[str, _Order] = {}
        self._last: _Order | None = None
        self._mind_thinks = False

    def hindrance(self) -> str:
        """Say why nothing may act; empty if it may."""
        if self.stopped:
            return f'stopped ({self.reason}); nothing acts until resume'
        return 'paused' if self.paused else ''

    def stop(self, reason: str, now: float, write: bool = True, handle: str = '') -> Outputs:
        """Stop everything; the state goes out before anything is written.

        Parameters
        ----------
        write
            Whether the STOP file is to be written.
        handle
            Of whoever waits for the answer; empty: nobody does.
        """
        again = self.stopped
        if not again:
            self.stopped, self.reason, self.unconfirmed = True, reason, ''
            self.epoch += 1
        self._orders[handle] = _Order(now + HALT_SECONDS)
        yield self._state(now)
        yield Ask('body/halt', TriggerRequest(), HALT + handle, HALT_SECONDS, HALT_SECONDS)
        if again:
            return
        if write:
            yield from self.write()
        for act in self._acts.open:
            yield CancelAsk(act.id)
        self._audit.note(now, 'stop', str(self.epoch), {'reason': reason})
        yield from _saved()

    def write(self) -> Outputs:
        """Write the STOP file, so that a restart does not end the stop; tried again by a step."""
        try:
            self._stop_file(self.reason)
        except OSError as error:
            self.unwritten = str(error)
            yield Report('error', f'stopped, but the STOP file could not be written: {error}')
        else:
            self.unwritten = ''

    def resume(self, reason: str, now: float) -> Outputs:
        """Let her act again."""
        self._stop_file(None)
        self.stopped, self.reason, self.unwritten, self.unconfirmed = False, '', '', ''
        self._audit.note(now, 'resume', str(self.epoch), {'reason': reason})
        yield self._state(now)
        yield from _saved()

    def on_stop_file(self, content: str | None, now: float) -> Outputs:
        """The STOP file appeared (its content) or went (None)."""
        if content is not None and not self.stopped:
            return self.stop(content.strip() or UNSAID, now, write=False)
        if content is not None and self.reason == UNSAID and content.strip():
            self.reason = content.strip()  # it was seen before its text was written
            return (self._state(now),)
        # A stop that could not be written is not ended because nothing is there.
        if content is None and self.stopped and not self.unwritten:
            return self.resume('STOP file removed', now)
        return ()

    # --- who has confirmed it -------------------------------------------------------------

    def on_halted(self, answer: Answer, now: float) -> Outputs:
        """Hear whether the body has halted."""
        order = self._orders.get(answer.token.removeprefix(HALT))
        if order is None:
            return ()
        if answer.failure == 'absent':
            order.body = 'no driver offers body/halt: what moves a body here may go on'
        elif answer.answer is None:
            order.body = f'the body has not confirmed body/halt within {HALT_SECONDS:g} s'
        elif not answer.answer.success:
            order.body = f'the body refused body/halt: {answer.answer.message}'
        else:
            order.halted = answer.answer.message or 'halted'
        return self.settle(now)

    def on_mind(self, phase: str, now: float) -> Outputs:
        """Hear whether the mind still thinks."""
        self._mind_thinks = phase not in (Phase.STOPPED, Phase.INACTIVE)
        return self.settle(now)

    def due(self) -> float:
        """When somebody who ordered a stop is told how far it got."""
        return min((order.due for order in self._orders.values()), default=math.inf)

    def settle(self, now: float) -> Outputs:
        """Answer whoever ordered a stop, once all have confirmed it or the time is over."""
        for handle, order in list(self._orders.items()):
            missing = self._missing(order)
            if now < order.due and (missing or not order.halted) and not order.body:
                continue
            del self._orders[handle]
            self._last = order
            if missing != self.unconfirmed:
                self.unconfirmed = missing
                if missing:
                    yield Report('error', f'stopped, but {missing}')
            if handle:
                done = f'the body: {order.halted}'
                told = f'stopped, but {missing}' if missing else f'stopped; {done}'
                yield Finish(handle, TriggerAnswer(True, f'{told}; `resume` ends it'))
        if self.unconfirmed and self._last is not None:
            self.unconfirmed = self._missing(self._last)  # what has ended since is no complaint

    def _missing(self, order: _Order) -> str:
        missing = [order.body] if order.body else []
        if not order.body and not order.halted:
            missing.append('the body has said nothing')
        if names := ', '.join(sorted({act.what for act in self._acts.open})):
            missing.append(f'{names} has not ended yet')
        if self._mind_thinks and self.stopped:
            missing.append('the mind has not confirmed')
        return '; '.join(missing)

    def pause(self, paused: bool, now: float) -> Outputs:
        """Keep still without aborting anything, or go on."""
        self.paused = paused
        self._audit.note(now, 'pause', '', {'paused': paused})
        yield self._state(now)
        yield from _saved()


@dataclass
class _Order:
    """A stop that was ordered, and what is known of its effect."""

    until: float  # organ's clock
    halted: str = ''  # the body's word
    body: str = ''  # why there is none

    @property
    def due(self) -> float:
        """When it is over, whoever has confirmed it; the body's answer comes by itself."""
        return self.until if self.halted or self.body else self.until + HALT_SECONDS


def _saved() -> Outputs:
    """Save if it is possible: whether she acts never waits for room on a disk."""
    with contextlib.suppress(OSError):  # the shell tells of it and tries again
        yield Save()
