"""One conversation and its turns, one after the other."""

from __future__ import annotations

import asyncio
import dataclasses
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from soul.mind.acts import ActsWatch
from soul.mind.availability import Availability
from soul.mind.compaction import Compaction
from soul.mind.config import MindConfig
from soul.mind.hands import TurnHands
from soul.mind.later import Later
from soul.mind.ledger import Ledger
from soul.mind.moment import Other
from soul.mind.ports import Ports
from soul.mind.prompt import Prompt
from soul.mind.providers.base import Completion, ProviderError, Purpose, Request
from soul.mind.record import Record
from soul.mind.session import Session
from soul.mind.tools.base import Toolbox
from soul.mind.transcript import mend
from soul.mind.waking import Cut, Waking
from soul.mind.wall import Allowance, Exhausted, Wall
from soul.mind.words import Words
from soul.organ import Report
from soul.signals import BodyState, Outcome, SessionState, Turn, View

#: A turn that was cut and goes on is cut again after this, s.
AGAIN = 0.5
#: Without a cache, a request is at most this part of what a waking may use.
UNCACHED_PART = 3
#: ... but not shorter than this, tokens.
LEAST_CEILING = 4000


@dataclasses.dataclass
class Means:
    """What all conversations share."""

    config: MindConfig
    ports: Ports
    wall: Wall
    toolbox: Toolbox
    prompt: Prompt
    words: Words
    ledger: Ledger
    acts: ActsWatch
    available: Availability
    later: Later
    body: Callable[[], BodyState | None]
    moment: Callable[[View, Stream], str]
    ended: Callable[[Stream, Turn], None]
    changed: Callable[[], None]
    save: Callable[[], None]  # soon
    commit: Callable[[], None]
    unwritten: Callable[[OSError], None]

    async def aside(self, request: Request, allowance: Allowance) -> Completion:
        """Think outside any waking: within all limits, counted and written down.

        Raises
        ------
        ProviderError
            If there is no completion, or an empty one; the model is left alone for a while then.
        Exhausted
            If a limit does not allow it.
        OSError
            If it cannot be written down.
        """
        try:
            completion, _ = await self.wall.ask(request, lambda kind, piece: None, allowance)
            if self.wall.metered and completion.empty:
                raise ProviderError('the model gave an empty answer')
        except ProviderError as error:
            self.available.failed(error)
            raise
        finally:
            if not allowance.sequence:
                self.save()
            self.changed()
        return completion

    def when_rested(self) -> dict[str, str]:
        """Return the weekday and the clock at which her energy is renewed, to fill in."""
        return self.words.when(self.wall.day.resets_at)


class Stream:
    """A conversation: its session, and the turn in progress if there is one."""

    def __init__(self, session: Session, means: Means) -> None:
        self.session = session
        self._means = means
        self.waking: Waking | None = None
        self._task: asyncio.Task[Turn] | None = None
        self._runner: asyncio.Task[None] | None = None
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
        return self._runner is not None and not self._runner.done()

    # --- a turn ---------------------------------------------------------------------------

    def first(self) -> Request:
        """Return what the next turn begins with, whatever it will be about."""
        means, view = self._means, View()
        beginning = {'role': 'user', 'content': '…'}  # some servers refuse a request without
        return Request(
            messages=[means.prompt.system(view), *mend([*self.session.history(), beginning])],
            tools=means.toolbox.schemas(),
            view=view,
            step=0,
            purpose=Purpose.WARM_UP,
        )

    def begin(self, view: View, epoch: int, sequence: int, known: Mapping[str, bool]) -> None:
        """Begin a turn; it is written down when this returns: it is not lived twice.

        Parameters
        ----------
        known
            Messages dealt with before that somebody still shows as waiting; whether they were
            answered.
        """
        means = self._means
        if self._shortening is not None:
            self._shortening.cancel()  # it never keeps anybody waiting
        if self._compaction().overdue(self._length):
            self._compaction().drop(self.session)
        now = means.ports.now()
        means.ledger.begin(view.wake, sequence, self.name, now)
        self.session.begin(sequence)
        allowance = means.wall.open(sequence, any(m.trusted for m in view.messages))
        record = Record(view, epoch, sequence, self.name, now, known, allowance=allowance)
        hands = TurnHands(record, means.ports, means.ledger, means.acts, means.body)
        self.waking = Waking(
            record,
            means.config,
            means.ports,
            means.wall,
            means.toolbox,
            self.session,
            means.prompt,
            hands,
            lambda seen: means.moment(seen, self),
            lambda: self._compaction().drop(self.session),
            means.changed,
            means.commit,
        )
        for message in view.messages:
            self._heard(message.sender, message.text, now)
        self._cut = None
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self.waking.live())
        self._runner = loop.create_task(self._run(self.waking, self._task))
        self._runner.add_done_callback(self._checked)

    def see(self, view: View) -> None:
        """See a newer render in mid-turn."""
        if self.waking is None:
            return
        if self.waking.interrupted(view):
            self.cut(Cut(Outcome.CUT, 'interrupted', interrupted=True))
        else:
            self.waking.hands.see(view)

    def cut(self, cut: Cut) -> None:
        """End the turn in progress at once."""
        if self._task is not None and not self._task.done():
            self._cut = cut
            self._task.cancel()

    async def close(self, seconds: float) -> None:
        """Wait for the turn that was cut."""
        if self._shortening is not None:
            self._shortening.cancel()
        if self._runner is not None:
            await asyncio.wait({self._runner}, timeout=seconds)

    async def _run(self, waking: Waking, task: asyncio.Task[Turn]) -> None:
        means, config = self._means, self._means.config
        while not task.done():
            patience = AGAIN if self._cut is not None else max(0.05, waking.left())
            await asyncio.wait({task}, timeout=patience)
            if self._cut is not None and not task.done():
                task.cancel()  # whatever has swallowed the first one
            if not task.done() and waking.left() <= 0.0:
                seconds = config.waking_seconds
                why = f'nothing happened for {seconds:g} s'
                self.cut(Cut(Outcome.CUT, why, failed=True))
        turn = self._turn(waking, task)
        self._length = waking.record.allowance.length or self._length
        self.unfinished = ''
        if self._cut is not None and self._cut.interrupted:
            self.unfinished = waking.doing()
        self.waking = self._task = None
        try:
            self.session.end()
        except OSError as error:
            means.unwritten(error)  # she remembers it; after a restart it is as if cut off
        if waking.record.said:
            last = self._means.words.say('other.answered', text=waking.record.said)
            self.said = Other(self.name, turn.stamp, last)
        self.used = turn.stamp
        self._runner = None
        self._means.wall.close(waking.record.allowance)
        self._means.ended(self, turn)
        if not self.busy and self._compaction().wanted(self._length):
            self._shortening = asyncio.get_running_loop().create_task(
                self._compaction().shorten(self.session, self._summary)
            )
            self._shortening.add_done_callback(self._checked)

    def _checked(self, runner: asyncio.Task[Any]) -> None:
        """Say what went wrong after a turn; her life goes on with the next."""
        error = None if runner.cancelled() else runner.exception()
        if isinstance(error, OSError):
            self._means.unwritten(error)
        elif error is not None:
            self._means.ports.emit(Report('error', f'after a turn: {_lines(error)}'))

    def _turn(self, waking: Waking, task: asyncio.Task[Turn]) -> Turn:
        """Return how it ended; whatever happens, a turn that began ends."""
        means = self._means
        if task.cancelled():
            return self._cut_short(waking, self._cut or Cut(Outcome.CUT, 'cancelled'))
        error = task.exception()
        if error is None:
            means.available.worked()
            return task.result()
        if isinstance(error, Cut):
            return self._cut_short(waking, error)
        if isinstance(error, ProviderError):
            return self._failed(waking, error, str(error))
        if isinstance(error, OSError):
            means.unwritten(error)
            why = f'nothing can be written or read: {error}'
            return self._failed(waking, ProviderError('her life cannot be written'), why)
        means.ports.emit(Report('error', f'a turn failed: {_lines(error)}'))
        # What failed in her may fail again: like a model that fails, it gets a pause that grows.
        failure = ProviderError(f'a turn failed: {type(error).__name__}')
        return self._failed(waking, failure, f'{type(error).__name__}: {error}')

    def _cut_short(self, waking: Waking, cut: Cut) -> Turn:
        """Return a waking that was cut; whoever waits is told why, and it is tried again."""
        means, waiting = self._means, waking.hands.waiting_messages
        if isinstance(cut.__cause__, Exhausted) and cut.__cause__.day:
            means.later.tell(waiting, means.words.say('later.spent', **means.when_rested()))
        elif cut.failed:
            means.available.failed(ProviderError(cut.detail))
            means.later.tell(waiting, means.words.say('later.cut'))
        return waking.turn(cut.outcome, cut.detail)

    def _failed(self, waking: Waking, error: ProviderError, detail: str) -> Turn:
        """Return a waking that failed; the model is left alone for a while."""
        means = self._means
        means.available.failed(error)
        why = means.words.say('later.cannot', why=error)
        means.later.tell(waking.hands.waiting_messages, why)
        return waking.turn(Outcome.FAILED, detail)

    def _heard(self, who: str, text: str, now: float) -> None:
        last = self._means.words.say('other.asked', who=who, text=text)
        self.said = Other(self.name, now, last)

    # --- counting and shortening ----------------------------------------------------------

    def _compaction(self) -> Compaction:
        config, gauge = self._means.config, self._means.wall.gauge
        ceiling = config.ceiling_tokens
        if config.context_window:
            ceiling = min(ceiling, config.context_window * 3 // 4)
        if gauge.without_cache and config.waking_tokens:
            ceiling = min(ceiling, max(LEAST_CEILING, config.waking_tokens // UNCACHED_PART))
        return Compaction(ceiling, config.keep_tokens, self._means.words)

    async def _summary(self, text: str) -> str:
        means = self._means
        if not means.available.now:
            return ''
        request = Request(
            messages=[
                {'role': 'system', 'content': means.words.say('summary')},
                {'role': 'user', 'content': text},
            ],
            tools=(),
            view=View(),
            step=0,
            purpose=Purpose.SUMMARY,
        )
        try:
            return (await means.aside(request, Allowance())).text
        except (ProviderError, Exhausted):
            return ''  # an account is made without a model then

    # --- telling --------------------------------------------------------------------------

    def state(self) -> SessionState | None:
        """What it is doing; None: nothing."""
        waking = self.waking
        if waking is None:
            return None
        return SessionState(self.name, waking.stage, waking.seconds, tuple(waking.record.seen))

    def other(self) -> Other:
        """How it looks from another conversation."""
        return dataclasses.replace(self.said, stage=self.waking.stage if self.waking else '')


def _lines(error: BaseException) -> str:
    return ''.join(traceback.format_exception(type(error), error, error.__traceback__))
