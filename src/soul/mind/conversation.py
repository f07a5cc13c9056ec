"""One conversation and its turns, one after the other."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Mapping, Sequence

from soul.mind.briefing import Briefing
from soul.mind.compaction import Compaction
from soul.mind.config import MindConfig
from soul.mind.cut import Cut
from soul.mind.inference import Inference
from soul.mind.messages import SystemMessage, UserMessage
from soul.mind.moment import Other
from soul.mind.ports import Ports
from soul.mind.providers.base import ProviderError, Purpose, Request
from soul.mind.session import Session
from soul.mind.turn_book import TurnBook
from soul.mind.turn_context import TurnContext
from soul.mind.turn_record import TurnRecord
from soul.mind.turn_runner import TurnRunner
from soul.mind.wall import Allowance, Exhausted
from soul.signals import Message, Outcome, SessionState, Turn, View

#: A turn that was cut and goes on is cut again after this, s.
AGAIN = 0.5
#: Without a cache, a request is at most this part of what a waking may use.
UNCACHED_PART = 3
#: ... but not shorter than this, tokens.
LEAST_CEILING = 4000


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a turn ended."""

    turn: Turn
    allowance: Allowance  # what it has used
    waiting: tuple[Message, ...]  # messages before her eyes that she has not answered
    cut: Cut | None = None  # why, if it was cut
    error: BaseException | None = None  # what it failed with


class Conversation:
    """A conversation: its session, and the turn in progress if there is one.

    Parameters
    ----------
    others
        Returns how the other conversations look from this one.
    changed
        Called when what a turn is at has changed.
    """

    def __init__(
        self,
        session: Session,
        config: MindConfig,
        ports: Ports,
        inference: Inference,
        briefing: Briefing,
        book: TurnBook,
        others: Callable[[Conversation], Sequence[Other]],
        changed: Callable[[], None],
    ) -> None:
        self.session = session
        self._config = config
        self._ports = ports
        self._inference = inference
        self._briefing = briefing
        self._book = book
        self._others = others
        self._changed = changed
        self._runner: TurnRunner | None = None
        self._task: asyncio.Task[Turn] | None = None
        self._shortening: asyncio.Task[bool] | None = None
        self._cut: Cut | None = None
        self._length = 0  # of the newest request, tokens
        self.unfinished = ''  # what she was at when she was interrupted
        self.said = Other(session.name, 0.0)  # what was said here last
        self.used = 0.0  # when a turn ended last, s of the node's clock

    @property
    def name(self) -> str:
        """Its name; empty: her own stream of consciousness."""
        return self.session.name

    @property
    def busy(self) -> bool:
        """Whether a turn is in progress."""
        return self._runner is not None

    # --- a turn ---------------------------------------------------------------------------

    def begin(self, view: View, known: Mapping[str, bool]) -> None:
        """Begin a turn; it is written down when this returns. Let it :meth:`live` then.

        Parameters
        ----------
        known
            Messages dealt with before that somebody still shows as waiting; whether they were
            answered.

        Raises
        ------
        OSError
            If it cannot be written down: it has not begun.
        """
        if self._shortening is not None:
            self._shortening.cancel()  # it never keeps anybody waiting
        if self._compaction().overdue(self._length):
            self._compaction().drop(self.session)
        now, book = self._ports.now(), self._book
        sequence = book.begin(view.wake, self.name)
        self.session.begin(sequence)
        allowance = self._inference.wall.open(sequence, any(m.trusted for m in view.messages))
        record = TurnRecord(
            view, book.ids.epoch, sequence, self.name, now, known, allowance=allowance
        )
        acts, briefing = self._briefing.acts, self._briefing
        self._runner = TurnRunner(
            record,
            self._config,
            self._ports,
            self._inference,
            briefing,
            self.session,
            TurnContext(record, self._ports, book.ledger, acts, lambda: briefing.body),
            self._moment,
            lambda: self._compaction().drop(self.session),
            book.settle,
            self._changed,
        )
        for message in view.messages:
            last = self._briefing.words.say('other.asked', who=message.sender, text=message.text)
            self.said = Other(self.name, now, last)
        self._cut = None

    def _moment(self, view: View) -> str:
        others = self._others(self)
        return self._briefing.moment(view, self.name, self.used, self.unfinished, others)

    async def live(self) -> Ended:
        """Live the turn that has begun; whatever happens, it ends."""
        runner = self._runner
        assert runner is not None
        task = self._task = asyncio.get_running_loop().create_task(runner.live())
        if self._cut is not None:
            task.cancel()
        while not task.done():
            patience = AGAIN if self._cut is not None else max(0.05, runner.left())
            await asyncio.wait({task}, timeout=patience)
            if self._cut is not None and not task.done():
                task.cancel()  # whatever has swallowed the first one
            if not task.done() and runner.left() <= 0.0:
                why = f'nothing happened for {self._config.waking_seconds:g} s'
                self.cut(Cut(Outcome.CUT, why, failed=True))
        ended = self._ended(runner, task)
        self._length = runner.record.allowance.length or self._length
        self.unfinished = ''
        if self._cut is not None and self._cut.interrupted:
            self.unfinished = runner.doing()
        # What cannot be written she remembers; after a restart it is as if cut off.
        self._book.attempt(self.session.end)
        self._runner = self._task = None
        if runner.record.said:
            last = self._briefing.words.say('other.answered', text=runner.record.said)
            self.said = Other(self.name, ended.turn.stamp, last)
        self.used = ended.turn.stamp
        return ended

    def _ended(self, runner: TurnRunner, task: asyncio.Task[Turn]) -> Ended:
        allowance = runner.record.allowance
        waiting = tuple(runner.context.waiting_messages)
        error = None if task.cancelled() else task.exception()
        if error is None and not task.cancelled():
            return Ended(task.result(), allowance, waiting)
        if task.cancelled() or isinstance(error, Cut):
            cut = error or self._cut or Cut(Outcome.CUT, 'cancelled')
            assert isinstance(cut, Cut)
            turn = runner.turn(cut.outcome, cut.detail)
            return Ended(turn, allowance, waiting, cut=cut)
        if isinstance(error, ProviderError):
            why = str(error)
        elif isinstance(error, OSError):
            why = f'nothing can be written or read: {error}'
        else:
            why = f'{type(error).__name__}: {error}'
        return Ended(runner.turn(Outcome.FAILED, why), allowance, waiting, error=error)

    def see(self, view: View) -> None:
        """See a newer render in mid-turn."""
        if self._runner is None:
            return
        if self._runner.context.interrupted(view):
            self.cut(Cut(Outcome.CUT, 'interrupted', interrupted=True))
        else:
            self._runner.context.see(view)

    def cut(self, cut: Cut) -> None:
        """End the turn in progress at once."""
        if self._runner is None or (self._task is not None and self._task.done()):
            return
        self._cut = cut
        if self._task is not None:
            self._task.cancel()

    def close(self) -> None:
        """Let go of what nobody waits for."""
        if self._shortening is not None:
            self._shortening.cancel()

    def get_ready(self) -> None:
        """Get ready what the next turn would have to find out while somebody waits."""
        if not self.busy:
            self._briefing.look_ahead()

    # --- shortening -----------------------------------------------------------------------

    @property
    def too_long(self) -> bool:
        """Whether it is to be shortened in quiet time."""
        return not self.busy and self._compaction().wanted(self._length)

    async def shorten(self) -> None:
        """Replace the oldest wakings by an account of them; given up when a turn begins.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        work = self._compaction().shorten(self.session, self._summary)
        self._shortening = asyncio.get_running_loop().create_task(work)
        await asyncio.wait({self._shortening})
        task, self._shortening = self._shortening, None
        if not task.cancelled():
            task.result()

    def _compaction(self) -> Compaction:
        config, gauge = self._config, self._inference.wall.gauge
        ceiling = config.ceiling_tokens
        if config.context_window:
            ceiling = min(ceiling, config.context_window * 3 // 4)
        if gauge.without_cache and config.waking_tokens:
            ceiling = min(ceiling, max(LEAST_CEILING, config.waking_tokens // UNCACHED_PART))
        return Compaction(ceiling, config.keep_tokens, self._briefing.words)

    async def _summary(self, text: str) -> str:
        if not self._inference.available.now:
            return ''
        request = Request(
            messages=[
                SystemMessage(self._briefing.words.say('summary')),
                UserMessage(text),
            ],
            tools=(),
            view=View(),
            step=0,
            purpose=Purpose.SUMMARY,
        )
        try:
            return (await self._inference.aside(request, Allowance())).text
        except (ProviderError, Exhausted):
            return ''  # an account is made without a model then

    # --- telling --------------------------------------------------------------------------

    def first(self) -> Request:
        """Return what the next turn begins with, whatever it will be about."""
        return self._briefing.first(self.session)

    def state(self) -> SessionState | None:
        """What it is doing; None: nothing."""
        runner = self._runner
        if runner is None:
            return None
        return SessionState(self.name, runner.stage, runner.seconds, tuple(runner.record.seen))

    def other(self) -> Other:
        """How it looks from another conversation."""
        return dataclasses.replace(self.said, stage=self._runner.stage if self._runner else '')
