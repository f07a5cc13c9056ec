"""Interprets the contract of :mod:`soul.core.organ`, once for all transports.

A runtime is one life of one organ. It calls the organ's methods and carries out what they return,
in order; everything happens on one thread at a time, the organ's. How signals, questions and time
come here is the business of a :class:`~soul.core.transport.Transport`.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from typing import Any

from soul.core.border import Border
from soul.core.clocks import Clocks
from soul.core.effects import Effects
from soul.core.goals import Goals
from soul.core.inbox import Inbox
from soul.core.keeper import Keeper
from soul.core.organ import Answer, Health, Organ, Report, Save, handler_name, server_name
from soul.core.output import Outputs, Work
from soul.core.requests import Requests
from soul.core.storage import RETRY_SECONDS, SAVE_PERIOD, Storage
from soul.core.supervision import Supervisor
from soul.core.transport import Transport
from soul.text.printable import printable

#: Longest text in the log, characters.
LOG_LIMIT = 2000
#: Work that is kept while there is no clock yet; the oldest goes first.
EARLY_LIMIT = 1000


class Runtime:
    """One life of an organ.

    Parameters
    ----------
    keeper
        Keeps what it saves and records.
    supervisor
        Looks after the organ, also over several lives one after the other.
    inbox
        What the organ was given as `inject`.
    save_period
        As :class:`~soul.core.storage.Storage`.
    """

    def __init__(
        self,
        name: str,
        organ: Organ,
        keeper: Keeper,
        clocks: Clocks,
        transport: Transport,
        supervisor: Supervisor,
        inbox: Inbox,
        save_period: float = SAVE_PERIOD,
    ) -> None:
        self.name = name
        self.organ = organ
        self.supervisor = supervisor
        #: Whether its life has begun: there is a clock.
        self.alive = False
        #: Whether its life is over; nothing reaches the organ any more.
        self.ended = False
        #: Whether it has been told to stop: it hears answers, but no topics any more.
        self.winding_down = False
        self._clocks = clocks
        self._transport = transport
        self._inbox = inbox
        self._early: collections.deque[Work] = collections.deque(maxlen=EARLY_LIMIT)
        self._border = Border()
        self._storage = Storage(organ, keeper, clocks.now, self.tell, save_period)
        self._goals = Goals(transport)
        self._effects = Effects(
            name, organ, self._storage, self._goals, transport, clocks.stamp, self._log
        )
        #: What is asked of it.
        self.requests = Requests(self, self._goals)
        self._step_again = -math.inf  # organ's clock; a step that failed is not due before that
        # What a table promises is there, or the start fails and not the first message.
        self._handlers = {topic: handler_name(kind) for topic, kind in organ.hears.items()}
        for method in (
            *self._handlers.values(),
            *map(server_name, organ.serves),
            *(server_name(name, 'perform') for name in organ.performs),
        ):
            getattr(organ, method)

    def inject(self, work: Work) -> None:
        """Let the organ do something on its own thread. Thread-safe."""
        self._inbox.put(work)

    # --- what arrives ---------------------------------------------------------------------

    def drain(self) -> None:
        """Begin to live as soon as there is a clock, and do what waits in the inbox."""
        if not self.alive and not self._begin():
            return
        for call in self._inbox.take(self.run):
            call()
        self.supervisor.attempt(self._rearm)

    def _begin(self) -> bool:
        if self.ended or not self._clocks.begun():
            return False
        self.alive = True
        self.run(self.organ.start)
        while self._early:
            self.run(self._early.popleft())
        return True

    def run(self, work: Work) -> None:
        """Let the organ do something now and carry out what it returns; before its life: later.

        What the organ raises ends this life of it, see :class:`~soul.core.supervision.Supervisor`.
        """
        if self.ended or self.supervisor.broken:
            return
        if not self.alive:
            self._early.append(work)
            self._transport.wake()
            return
        self.supervisor.attempt(lambda: self._do(work))

    def hear(self, topic: str, signal: Any, fits: bool = False) -> None:
        """Hear a signal on a topic of ``hears``.

        Parameters
        ----------
        fits
            Whether the transport has found already that all of it is within its limits.
        """
        kept = signal if fits else self.admit(topic, signal)[0]
        if kept is not None and not self.winding_down:
            self.run(lambda now: getattr(self.organ, self._handlers[topic])(kept, now))

    def silence(self, topic: str) -> None:
        """Hear that nobody alive publishes a topic any more; ignored if it is not watched."""
        if topic in self.organ.watches:
            self.run(lambda now: self.organ.on_silence(topic, now))

    def answer(self, answer: Answer) -> None:
        """Hear what became of a question."""
        if answer.answer is not None:
            kept, reason = self.admit(answer.to, answer.answer)
            # If it cannot be taken, it was done or not: nobody can say.
            failure = 'lost' if reason else answer.failure
            answer = dataclasses.replace(answer, answer=kept, failure=failure)
        self.run(lambda now: self.organ.on_answer(answer, now))

    def on_time(self) -> None:
        """Do what is due; see :meth:`~soul.core.transport.Transport.arm`."""
        if self.alive and not self.winding_down:
            self.run(self._due_step)

    def admit(self, name: str, signal: Any) -> tuple[Any, str]:
        """Bring what came in within its limits; None, and why, if it is refused."""
        passed = self._border.admit(name, signal, self._clocks.steady())
        for report in passed.reports:
            self._log(report)
        return passed.signal, passed.reason

    # --- what the organ does --------------------------------------------------------------

    def _do(self, work: Work) -> None:
        try:
            self.carry_out(work(self._clocks.now()))
        except OSError as error:
            # What could not be written is not carried out; she goes on with what she has.
            self.unwritten(error)

    def carry_out(self, outputs: Outputs) -> None:
        """Carry out the organ's outputs in their order, see :class:`~soul.core.effects.Effects`.

        Raises
        ------
        OSError
            If something cannot be written; what follows it is not carried out then.
        """
        self._effects.carry_out(outputs)
        self._rearm()

    def unwritten(self, error: OSError) -> None:
        """Note that something could not be written; it is tried again."""
        self._storage.unwritten(error)
        self.supervisor.attempt(self._rearm)

    def _due_step(self, now: float) -> Outputs:
        if now >= self._storage.due:
            self._storage.catch_up()
        if now < max(self.organ.due(), self._step_again):
            return
        self._step_again = now + RETRY_SECONDS  # should it fail: it may still be due then
        yield from self.organ.step(now)
        self._step_again = -math.inf

    def _rearm(self) -> None:
        if self.alive and not (self.ended or self.winding_down or self.supervisor.broken):
            due = max(self.organ.due(), self._step_again)
            self._transport.arm(min(due, self._storage.due))

    # --- how it is ------------------------------------------------------------------------

    def now(self) -> float:
        """Seconds of the organ's clock."""
        return self._clocks.now()

    def hindrance(self) -> str:
        """Say why the organ cannot be asked at all; empty: it can."""
        if self.supervisor.broken:
            return f'{self.name} has failed and is begun anew: {self.supervisor.broken}'
        if self.ended:
            return f'{self.name} has ended'
        return '' if self.alive else 'not awake yet: no clock'

    def tell(self, level: str, text: str) -> None:
        """Write a line to the log: debug, info, warning or error."""
        self._log(Report(level, text))

    def _log(self, report: Report) -> None:
        # It may quote anybody: a line is no order to a terminal, and no novel.
        self._transport.log(Report(report.level, printable(report.text, LOG_LIMIT)))

    def health(self) -> Health:
        """Return how it is: the organ's own word, and what was found about it from outside."""
        if not self.alive:
            return Health('warn', 'waiting for the clock')
        own = self.supervisor.attempt(self._own_health)
        if own is None:
            return Health('error', f'it failed: {self.supervisor.broken}')
        return self.supervisor.health(own)

    def _own_health(self) -> Health:
        own = self.organ.health(self._clocks.now())
        return self._storage.health(self._border.health(own, self._clocks.steady()))

    # --- the end --------------------------------------------------------------------------

    def wind_down(self) -> None:
        """Let the organ stop; from now on it hears only how its questions end. Idempotent."""
        if not self.winding_down and self.alive:
            self.winding_down = True
            self._transport.arm(math.inf)
            self.run(self.organ.stop)

    def stop(self) -> None:
        """End: the organ stops, gives up what it waits for, and is saved. Idempotent."""
        if not self.ended and self.alive:
            self.wind_down()
            self._transport.give_up()
            self.run(lambda now: (Save(),))
        self.ended = True

    def abandon(self) -> None:
        """End a broken life: quietly if the organ still can, and nobody waits for it in vain.

        Its memory is not written: it is begun anew with what it was when it was well.
        """
        if self.alive and not self.ended and not self.winding_down:
            self.winding_down = True
            try:
                self.supervisor.attempt(
                    lambda: self.carry_out(self.organ.stop(self._clocks.now()))
                )
            except OSError as error:
                self.unwritten(error)
        self._goals.give_up(self.hindrance())
        self.ended = True
