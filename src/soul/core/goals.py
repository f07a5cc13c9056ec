"""What an organ performs over time: each goal ends once, and with a reason if it is refused."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from soul.core.organ import Finish, Progress
from soul.core.refusal import refused
from soul.core.transport import Transport
from soul.signals import SayState


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that is being performed."""

    result: type  # of its answer
    caller: Any  # the transport's own, by which it finds whoever asked


class Goals:
    """The goals of one life of an organ, by the handle that the organ knows them by."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._numbers = itertools.count(1)
        self._running: dict[str, Goal] = {}

    def begin(self, name: str, result: type, caller: Any) -> str:
        """Take a goal in and return its handle."""
        handle = f'{name}#{next(self._numbers)}'
        self._running[handle] = Goal(result, caller)
        return handle

    def handle_of(self, caller: Any) -> str:
        """Return the handle of what `caller` asked for; empty: it has ended."""
        return next((h for h, goal in self._running.items() if goal.caller is caller), '')

    def progress(self, progress: Progress) -> None:
        """Tell how far a goal is; one that has ended is ignored."""
        goal = self._running.get(progress.handle)
        if goal is not None:
            self._transport.progress(goal.caller, progress)

    def finish(self, finish: Finish) -> None:
        """End a goal; one that is unknown or has ended already is ignored."""
        goal = self._running.pop(finish.handle, None)
        if goal is not None:
            self._transport.finish(goal.caller, finish)

    def refuse(self, handle: str, reason: str, outcome: str = SayState.ABORTED) -> None:
        """End a goal as not performed, and say why in its own words."""
        goal = self._running.get(handle)
        if goal is not None:
            self.finish(Finish(handle, refused(goal.result, reason, outcome), 'aborted'))

    def give_up(self, reason: str) -> None:
        """End all that is still being performed: it will not be finished.

        What was under way may have happened in part; that is what its result says.
        """
        for handle in list(self._running):
            self.refuse(handle, reason, SayState.UNCERTAIN)
