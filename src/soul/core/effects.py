"""Carries out what an organ returns, in its order."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from typing import Any

from soul.core.goals import Goals
from soul.core.organ import (
    Ask,
    CancelAsk,
    Finish,
    Offer,
    Organ,
    Progress,
    Record,
    Report,
    Save,
    SaveSoon,
)
from soul.core.output import Output, Outputs
from soul.core.storage import Storage
from soul.core.transport import Transport


class Effects:
    """Carries out the outputs of one life of an organ.

    Parameters
    ----------
    name
        Of the organ.
    stamp
        Seconds of the clock that messages are stamped with.
    log
        Hears the organ's own lines.
    """

    def __init__(
        self,
        name: str,
        organ: Organ,
        storage: Storage,
        goals: Goals,
        transport: Transport,
        stamp: Callable[[], float],
        log: Callable[[Report], None],
    ) -> None:
        self._name = name
        self._storage = storage
        self._goals = goals
        self._transport = transport
        self._stamp = stamp
        self._log = log
        self._topics = {kind: topic for topic, kind in organ.says.items()}
        self._always = frozenset(organ.says) - organ.perhaps
        self._offered = self._always

    def carry_out(self, outputs: Outputs) -> None:
        """Carry out outputs one after the other.

        A generator is resumed only when its output has been carried out. If that could not be
        written, its `yield` raises the OSError, and it may go on in its own way.

        Raises
        ------
        OSError
            If something cannot be written and the organ does not deal with it; what follows is
            not carried out then.
        TypeError
            If an output is no effect and stands in no table.
        """
        iterator = iter(outputs)
        error: OSError | None = None
        busy = False
        while True:
            try:
                if error is not None and isinstance(iterator, Generator):
                    output, error = iterator.throw(error), None
                else:
                    output = next(iterator)
            except StopIteration:
                break
            busy = True
            try:
                self._carry_out_one(output)
            except OSError as unwritten:
                if not isinstance(iterator, Generator):
                    raise
                error = unwritten
                self._storage.unwritten(error)
        self._storage.changed(busy)

    def _carry_out_one(self, output: Output) -> None:
        if type(output) in self._topics:
            self._say(output)
        elif isinstance(output, Record):
            self._storage.record(output)
        elif isinstance(output, Save):
            self._storage.save()
        elif isinstance(output, SaveSoon):
            self._storage.want()
        elif isinstance(output, Ask):
            self._transport.ask(output)
        elif isinstance(output, Finish):
            self._goals.finish(output)
        elif isinstance(output, Progress):
            self._goals.progress(output)
        elif isinstance(output, CancelAsk):
            self._transport.cancel(output.token)
        elif isinstance(output, Offer):
            self._offered = self._always | set(output.topics)
            self._transport.offer(output.topics)
        elif isinstance(output, Report):
            self._log(output)
        else:
            raise TypeError(f'{self._name} never says {type(output).__name__}')

    def _say(self, signal: Any) -> None:
        topic = self._topics[type(signal)]
        if topic not in self._offered:
            raise TypeError(f'{self._name} does not say {topic} now')
        if getattr(signal, 'stamp', None) == 0.0:
            signal = dataclasses.replace(signal, stamp=self._stamp())
        self._transport.publish(topic, signal)
