"""What comes next: which conversations the newest view begins, and which wakes pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from soul.core.bounded import BoundedDict
from soul.mind.conversations import Conversations
from soul.mind.turn_ids import TurnIds
from soul.signals import View, WakeCause

#: So many messages are remembered as tried.
REMEMBERED = 1000


@dataclass(frozen=True)
class Pass:
    """A wake that passes without a turn: all of it is being dealt with already."""

    view: View


class TurnScheduler:
    """The newest view that has not been lived, and what it has yet to begin.

    Parameters
    ----------
    begin
        Begins the turns of a view in some conversations: (view, names) -> names of those that
        have begun.
    """

    def __init__(
        self,
        ids: TurnIds,
        conversations: Conversations,
        begin: Callable[[View, Iterable[str]], set[str]],
    ) -> None:
        self._ids = ids
        self._conversations = conversations
        self._begin = begin
        self._tried: BoundedDict[str, None] = BoundedDict(
            REMEMBERED
        )  # messages she has thought about
        self._next: View | None = None
        self._owed: set[str] | None = None  # conversations it has yet to begin

    @property
    def waits(self) -> bool:
        """Whether a view waits to be lived."""
        return self._next is not None

    def somebody_new(self, view: View) -> bool:
        """Whether a view brings a message she has not thought about, nor been asked for before.

        Each message counts once: one that comes back after a failure is nobody new.
        """
        return self._try(m.id for m in view.messages if not self._conversations.has_dealt(m.id))

    def _try(self, ids: Iterable[str]) -> bool:
        new = [message_id for message_id in ids if message_id not in self._tried]
        for message_id in new:
            self._tried[message_id] = None
        return bool(new)

    def see(self, view: View, ready: bool) -> Pass | None:
        """See; a view of a wake that has not begun yet begins turns.

        Parameters
        ----------
        ready
            Whether she may think at all now.

        Returns
        -------
        Pass or None
            A wake that passes.
        """
        if self._ids.is_new(view.wake):
            self._next, self._owed = view, None
            return self.go_on(ready)
        if self._conversations.busy and ready:
            # What belongs to another conversation does not wait for the turn in progress.
            self._start(view, self._conversations.fresh(view))
        return None

    def go_on(self, ready: bool) -> Pass | None:
        """Begin the turns of the newest view, if nothing is in the way; as :meth:`see`."""
        view, conversations = self._next, self._conversations
        if view is None or not ready:
            return None
        if self._owed is None:
            self._owed = conversations.fresh(view)
            if set(view.causes) != {WakeCause.MESSAGE}:
                self._owed.add('')
        if not any(name == '' or not conversations.at_work(name) for name in self._owed):
            self._next = None
            return Pass(view)
        self._owed -= self._start(view, self._owed)
        if not self._owed or (self._ids.begun == view.wake and '' not in self._owed):
            # Whatever came for a conversation at work is seen there, or knocks again.
            self._next = None
        return None

    def _start(self, view: View, names: Iterable[str]) -> set[str]:
        """Begin turns for the wanted conversations, those at work excepted."""
        idle = [name for name in sorted(names) if not self._conversations.at_work(name)]
        began = self._begin(view, idle)
        for name in began:
            self._try(message.id for message in self._conversations.share(view, name).messages)
        return began
