"""Her turns: begins what the newest view asks for, and says how each one ended."""

from __future__ import annotations

import asyncio
import dataclasses
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from soul.core.organ import Report
from soul.mind.conversation import Conversation, Ended
from soul.mind.conversations import Conversations
from soul.mind.counters import Counters
from soul.mind.deferred_replies import DeferredReplies
from soul.mind.inference import Inference
from soul.mind.late_save import LateSave
from soul.mind.mind_memory import MindMemory
from soul.mind.ports import Ports
from soul.mind.providers.base import ProviderError
from soul.mind.turn_book import TurnBook
from soul.mind.turn_ledger import Orphan, turn_from
from soul.mind.turn_scheduler import Pass, TurnScheduler
from soul.mind.unlived import closed, passed_by
from soul.mind.words import Words
from soul.signals import Message, Turn, View

#: The disk learns of a turn that has begun after this, s: the request to the model goes first.
SETTLE_SECONDS = 0.02


class Turns:
    """All turns of one mind; everything happens on its event loop.

    Parameters
    ----------
    conversations
        Where they are lived.
    ready
        Whether she may think at all now.
    changed
        Called when something has changed that others may be told of.
    memory, past
        What was saved in an earlier life, and the newest part of the ledger.
    """

    def __init__(
        self,
        ports: Ports,
        words: Words,
        inference: Inference,
        book: TurnBook,
        counters: Counters,
        saving: LateSave,
        conversations: Conversations,
        ready: Callable[[], bool],
        changed: Callable[[], None],
        memory: MindMemory,
        past: Iterable[Mapping[str, Any]],
    ) -> None:
        self._ports = ports
        self._words = words
        self._inference = inference
        self._book = book
        self._counters = counters
        self._saving = saving
        self._ready = ready
        self._changed = changed
        self._deferred = DeferredReplies(ports.emit, ports.now, memory.later)
        self._conversations = conversations
        self._scheduler = TurnScheduler(book.ids, conversations, self._begin)
        self._living: set[asyncio.Task[None]] = set()
        self._settling: asyncio.Task[None] | None = None
        self.last = turn_from(memory.last_turn)
        ended, self._orphans = book.recover(past)
        for turn in ended:
            self.last = turn
            counters.add_turn(turn, turn.steps > 0)
            self._conversations.dealt(turn)

    def memory(self) -> dict[str, Any]:
        """What must survive, as in :class:`~soul.mind.mind_memory.MindMemory`."""
        ids = self._book.ids
        return {
            'epoch': ids.epoch,
            'sequence': ids.sequence,
            'begun': (ids.begun.epoch, ids.begun.sequence),
            'last_turn': dataclasses.asdict(self.last) if self.last.sequence else None,
            'later': tuple(self._deferred.memory()),
            'dealt': tuple(self._conversations.memory()),
        }

    # --- after a crash --------------------------------------------------------------------

    @property
    def open_before(self) -> bool:
        """Whether turns of an earlier life are still open."""
        return bool(self._orphans)

    def close_orphans(self) -> None:
        """Close the turns a crash has left open."""
        self._book.attempt(self._book.settle)
        orphans, self._orphans = self._orphans, []
        for orphan in orphans:
            if orphan.sequence:
                self._close(orphan)
            else:  # a call outside any turn, of which nothing was heard
                self._counters.add(orphan.usage, orphan.cost)
                self._book.ledger.used(0, orphan.usage, orphan.cost)
                self._saving.want()

    def _close(self, orphan: Orphan) -> None:
        turn = closed(orphan, self._book.ids.epoch, self._ports.now())
        self._counters.spend(turn)
        self._conversations.dealt(turn)
        for reply in orphan.replies:  # the same id again: nobody hears it twice
            self._ports.emit(reply)
        self.told(turn, True)

    # --- what comes next ------------------------------------------------------------------

    @property
    def waits(self) -> bool:
        """Whether a view waits to be lived."""
        return self._scheduler.waits

    def see(self, view: View) -> None:
        """See; a view of a wake that has not begun yet begins turns."""
        self._pass(self._scheduler.see(view, self._ready()))

    def somebody_new(self, view: View) -> bool:
        """Whether a view brings a message she has not thought about."""
        return self._scheduler.somebody_new(view)

    def go_on(self) -> None:
        """Begin what waits, if nothing is in the way."""
        self._pass(self._scheduler.go_on(self._ready()))

    def defer(self, view: View) -> None:
        """Tell whoever is at the door and not dealt with that she cannot think now."""
        waiting = [m for m in view.messages if not self._conversations.known(view).get(m.id)]
        why = self._words.say('later.cannot', why=self._inference.available.why)
        self._deferred.tell(waiting, why)

    def _begin(self, view: View, names: Iterable[str]) -> set[str]:
        began = set()
        for name in names:
            seen = self._conversations.share(view, name)
            if not self._affords(seen.messages):
                continue
            conversation = self._conversations.get(name)
            try:
                conversation.begin(seen, self._conversations.known(view))
            except OSError as error:
                self._book.unwritten(error)  # not written, not begun: the wake stays open
                break
            self._book.ids.begin(view.wake)
            self._let_live(conversation)
            began.add(name)
        if began:
            self._settling = asyncio.get_running_loop().create_task(self._settle_soon())
        return began

    async def _settle_soon(self) -> None:
        """Let the disk know what has begun, and then the others.

        The request to the model does not wait for the disk; her first deed does.
        """
        await self._ports.pause(SETTLE_SECONDS)
        self._book.attempt(self._book.settle)
        self._changed()

    def _affords(self, messages: Sequence[Message]) -> bool:
        """When her energy is spent, only her people are answered, from the reserve."""
        wall = self._inference.wall
        if not wall.refusal(any(message.trusted for message in messages)):
            return True
        self._tell_spent(messages)
        return False

    def _tell_spent(self, messages: Iterable[Message]) -> None:
        when = self._words.when(self._inference.wall.day.resets_at)
        self._deferred.tell(messages, self._words.say('later.spent', **when))

    def _pass(self, passed: Pass | None) -> None:
        """Let a wake pass without thinking: its messages were dealt with before."""
        if passed is None:
            return
        view, book = passed.view, self._book
        known = self._conversations.known(view)
        try:
            sequence = book.begin(view.wake, '')
        except OSError as error:
            book.unwritten(error)
            return
        book.ids.begin(view.wake)
        self.told(passed_by(view, known, book.ids.epoch, sequence, self._ports.now()), False)

    # --- living ---------------------------------------------------------------------------

    def _let_live(self, conversation: Conversation) -> None:
        task = asyncio.get_running_loop().create_task(self._live(conversation))
        self._living.add(task)
        task.add_done_callback(self._checked)

    async def _live(self, conversation: Conversation) -> None:
        ended = await conversation.live()
        self._inference.wall.close(ended.allowance)
        self._conclude(ended)
        self._conversations.dealt(ended.turn)
        self.told(ended.turn, ended.turn.steps > 0)
        self.go_on()
        conversation.get_ready()
        if conversation.too_long:
            await conversation.shorten()
            self._saving.want()
            self._changed()

    def _conclude(self, ended: Ended) -> None:
        """Draw the consequences of how a turn ended for the model and for whoever waits."""
        available, cut, error = self._inference.available, ended.cut, ended.error
        if cut is not None and cut.day:
            self._tell_spent(ended.waiting)
        elif cut is not None:
            if cut.failed:
                available.failed(ProviderError(cut.detail))
                self._deferred.tell(ended.waiting, self._words.say('later.cut'))
        elif error is not None:
            failure = self._failure(error)
            available.failed(failure)
            self._deferred.tell(ended.waiting, self._words.say('later.cannot', why=failure))
        else:
            available.worked()

    def _failure(self, error: BaseException) -> ProviderError:
        if isinstance(error, ProviderError):
            return error
        if isinstance(error, OSError):
            self._book.unwritten(error)
            return ProviderError('her life cannot be written')
        self._ports.emit(Report('error', f'a turn failed: {_lines(error)}'))
        # What failed in her may fail again: like a model that fails, it gets a pause that grows.
        return ProviderError(f'a turn failed: {type(error).__name__}')

    def _checked(self, task: asyncio.Task[None]) -> None:
        """Say what went wrong after a turn; her life goes on with the next."""
        self._living.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, OSError):
            self._book.unwritten(error)
        elif error is not None:
            self._ports.emit(Report('error', f'after a turn: {_lines(error)}'))

    def told(self, turn: Turn, counts: bool) -> None:
        """Write down how a turn ended, then tell.

        Parameters
        ----------
        counts
            Whether it was a waking of her day; one in which no model has answered was none.
        """
        self._counters.wakings += counts
        if turn.sequence >= self.last.sequence or turn.epoch != self.last.epoch:
            self.last = turn
        self._book.end(turn)
        self._saving.want()
        self._ports.emit(turn)
        self._changed()

    async def close(self, seconds: float) -> None:
        """Wait for the turns that were cut, and let go of the rest."""
        self._conversations.close()
        if self._living:
            await asyncio.wait(set(self._living), timeout=seconds)
        if self._settling is not None:
            self._settling.cancel()


def _lines(error: BaseException) -> str:
    return ''.join(traceback.format_exception(error))
