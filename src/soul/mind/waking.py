"""One waking: see, think, act, again, until she sleeps."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from soul.mind.config import MindConfig
from soul.mind.hands import TurnHands
from soul.mind.ports import Ports
from soul.mind.prompt import Prompt
from soul.mind.providers.base import Completion, ProviderError, Request, ToolCall
from soul.mind.providers.cleaning import clean_text
from soul.mind.record import THINKING, Record
from soul.mind.session import Session
from soul.mind.spoken import calls_in, spoken
from soul.mind.thoughts import Thoughts
from soul.mind.tools.base import RESULT_LIMIT, Result, Toolbox
from soul.mind.transcript import mend, result, valid_arguments
from soul.mind.wall import Exhausted, Wall
from soul.organ import Report
from soul.signals import Message, MessageMode, Outcome, Thought, ThoughtKind, Turn, View

#: So many calls of one answer are made; the others are left out.
MOST_CALLS = 32
#: Tools with which she answers somebody.
ANSWERS = frozenset({'reply'})
#: The provider's own limit comes first, and the ceiling of requests may hold one back, s.
MARGIN = 65.0


class Cut(Exception):
    """The waking ended before she slept; carries the turn's outcome and why.

    Parameters
    ----------
    interrupted
        Whether somebody spoke, so that she may take up later what she was at.
    failed
        Whether it would go the same way again: the model is left alone for a while, as after a
        failure.
    """

    def __init__(
        self, outcome: str, detail: str, interrupted: bool = False, failed: bool = False
    ) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail
        self.interrupted = interrupted
        self.failed = failed


class Waking:
    """One turn in progress.

    Parameters
    ----------
    moment
        Returns what she reads of this moment (see :mod:`soul.mind.moment`).
    shorten
        Makes the history shorter at once; False if nothing can go.
    changed
        Called when something worth telling has changed.
    commit
        Makes sure that this turn is on the disk; called before each deed, raises OSError.
    """

    def __init__(
        self,
        record: Record,
        config: MindConfig,
        ports: Ports,
        wall: Wall,
        toolbox: Toolbox,
        session: Session,
        prompt: Prompt,
        hands: TurnHands,
        moment: Callable[[View], str],
        shorten: Callable[[], bool],
        changed: Callable[[], None],
        commit: Callable[[], None],
    ) -> None:
        self.record = record
        self._config = config
        self._ports = ports
        self._wall = wall
        self._toolbox = toolbox
        self._session = session
        self._prompt = prompt
        self.hands = hands
        self._moment = moment
        self._shorten = shorten
        self._changed = changed
        self._commit = commit
        self._shown = record.view
        self._progress = asyncio.get_running_loop().time()
        self._asked = 0.0  # since when a model that has not begun to answer is asked; 0: never
        self._left_out = 0  # calls of the newest answer that are not made
        self._fruitless = 0  # steps in a row without any effect
        self.stage = THINKING

    # --- the loop -------------------------------------------------------------------------

    async def live(self) -> Turn:
        """Live this waking.

        Raises
        ------
        ProviderError
            If the model gives no answer; :meth:`turn` still tells what happened until then.
        Cut
            If a limit is reached, or nothing she does has any effect.
        """
        view, prompt = self.record.view, self._prompt
        self._meet(view.messages)
        self._session.add({'role': 'user', 'content': self._moment(view)}, prompt.line(view))
        reminded = acted = False
        while True:
            self._interject()
            completion = await self._think()
            if completion.empty and not acted:
                raise ProviderError('the model gave an empty answer')
            came = [await self._act(call) for call in completion.calls]
            asleep = any(one.ends for one in came)
            acted = acted or bool(came)
            unheard = self._unheard(completion, came)
            if unheard and asleep:
                # Whoever waits must not be left standing because an answer was refused.
                self._hold([one for one in came if not one.ends])
                asleep = False
                text = prompt.still_awake(self.hands.waiting_messages)
                self._session.add({'role': 'user', 'content': text})
                continue
            self._hold(came)
            if asleep and (reminded or not self._forgets()):
                return self.turn(Outcome.SLEPT)
            if asleep or not completion.calls:
                if reminded:
                    return self._put_to_rest(completion.text, acted)
                reminded = True
                text = prompt.still_awake(self.hands.waiting_messages)
                self._session.add({'role': 'user', 'content': text})

    def _forgets(self) -> bool:
        """Whether a small model goes to sleep and leaves somebody standing at the door.

        Others may mean it.
        """
        return self._config.compact and bool(self.hands.waiting_messages)

    def _put_to_rest(self, text: str, acted: bool) -> Turn:
        """End the waking of a model that never sleeps.

        One that was told and still only writes is taken to mean what it wrote as its answer:
        whoever is at the door must not be met by silence.
        """
        waiting = self.hands.waiting_messages
        if waiting and not acted and any(spoken(text)):
            why = 'what she wrote to be her answer is a call that is not hers'
            raise Cut(Outcome.CUT, why, failed=True)
        if text.strip() and waiting and not acted:
            self.hands.reply(waiting[-1], text.strip())
            return self.turn(Outcome.SLEPT, 'she answered in plain words and was put to rest')
        return self.turn(Outcome.SLEPT, 'she never slept and was put to rest')

    def _unheard(self, completion: Completion, came: Sequence[Result]) -> bool:
        """Whether she meant to answer, her answer was refused, and somebody still waits."""
        refused = any(
            call.name in ANSWERS and not one.ok
            for call, one in zip(completion.calls, came, strict=True)
        )
        return refused and bool(self.hands.waiting_messages)

    def _hold(self, came: Sequence[Result]) -> None:
        """End a waking in which nothing has any effect, step after step."""
        if not came:
            return
        self._fruitless = 0 if any(one.ok for one in came) else self._fruitless + 1
        most = self._config.fruitless_steps
        if self._fruitless >= most:
            why = ' '.join(came[-1].text.split())[:200]
            detail = f'{most} steps in a row had no effect, the last one: {why}'
            raise Cut(Outcome.CUT, detail, failed=True)

    def _interject(self) -> None:
        view = self.hands.raw
        if self._shown is view or self._shown.text == view.text:
            return
        self._shown = view
        new = self.hands.new
        self._meet(new)
        if new:
            content, line = self._prompt.interjection(view, new)
            self._session.add({'role': 'user', 'content': content}, line)

    def _meet(self, messages: Iterable[Message]) -> None:
        """She has these before her eyes; what they say is not hers."""
        messages = list(messages)
        self.record.see(messages)
        for message in messages:
            self.hands.outside.came('person', message.text)
            allowance = self.record.allowance
            allowance.trusted = allowance.trusted or message.trusted

    # --- thinking -------------------------------------------------------------------------

    async def _think(self) -> Completion:
        self._at(THINKING)
        begun = self._ports.now()
        thoughts = Thoughts(self._ports.emit, self.record.session)

        def heard(kind: str, text: str) -> None:
            self._asked = 0.0
            self._advance()
            if kind != 'call':
                thoughts.heard(kind, text)

        try:
            completion = await self._ask(heard)
        except ProviderError as error:
            if not (error.too_long and self._shorten()):
                raise
            completion = await self._ask(heard)
        thoughts.flush()
        self._advance()
        completion = calls_in(
            completion, self._toolbox.names(), f'said-{self.record.sequence}', self._outside()
        )
        self._left_out = max(0, len(completion.calls) - MOST_CALLS)
        completion = dataclasses.replace(completion, calls=completion.calls[:MOST_CALLS])
        completion = self._session.own_ids(completion)
        self.record.thought(completion, self._ports.now() - begun)
        if not completion.empty:
            self._session.add(_said(completion))
        self._changed()
        return completion

    async def _ask(self, heard: Callable[[str, str], None]) -> Completion:
        self._asked = asyncio.get_running_loop().time()
        try:
            completion, _ = await self._wall.ask(self._request(), heard, self.record.allowance)
        except Exhausted as limit:
            raise Cut(Outcome.CUT, str(limit), failed=not limit.day) from limit
        finally:
            self._asked = 0.0
        return completion

    def _outside(self) -> Iterable[str]:
        """What came from outside in this conversation, as far as it is carried along."""
        yield from self.hands.outside.texts()
        for message in (*self._session.history(), *self._session.conversation()):
            if message['role'] != 'assistant' and isinstance(message.get('content'), str):
                yield message['content']

    def _request(self) -> Request:
        # what is carried along was mended when its waking ended
        history, now = self._session.history(), mend(self._session.conversation())
        return Request(
            messages=[self._prompt.system(self.record.view), *history, *now],
            tools=self._toolbox.schemas(),
            view=self.hands.raw if self._shown is self.hands.raw else self._shown,
            step=self.record.steps,
        )

    # --- acting ---------------------------------------------------------------------------

    async def _act(self, call: ToolCall) -> Result:
        self._commit()
        self._at(call.name)
        self._ports.emit(
            Thought(
                session=self.record.session,
                kind=ThoughtKind.TOOL,
                text=f'{call.name} {call.arguments}'.strip()[:2000],
            )
        )
        begun = self._ports.now()
        came = await self._toolbox.use(call, self.hands)
        self._advance()
        tool = self._toolbox.get(call.name)
        self.record.acted(call, tool, came, self._ports.now() - begun)
        if tool is not None and tool.origin:
            self.hands.outside.came(tool.origin, came.text)
        if came.broke:
            self._ports.emit(Report('error', f'the tool {call.name} broke: {came.broke}'))
        text = clean_text(came.text)
        if len(text) > RESULT_LIMIT:
            text = f'{text[:RESULT_LIMIT]} … {self._prompt.too_long(len(text))}'
        if self._left_out:
            text = f'{text} {self._prompt.left_out(self._left_out)}'
            self._left_out = 0
        self._session.add(result(call.id, text))
        if came.pictures and self._config.vision:
            self._session.add(*self._prompt.picture(came.pictures))
        if came.seen:
            await self.hands.show(came.seen, call.name)
        return came

    # --- from outside ---------------------------------------------------------------------

    def interrupted(self, view: View) -> bool:
        """Whether a view brings a message that cuts this waking."""
        return any(
            m.mode == MessageMode.INTERRUPT and m.id not in self.record.seen for m in view.messages
        )

    def left(self) -> float:
        """Seconds until the wall, if nothing happens.

        Letting time pass is something. A server that has not begun to answer may be loading the
        model: that has a limit of its own.
        """
        if self.hands.waiting:
            self._advance()
        now, config = asyncio.get_running_loop().time(), self._config
        left = config.waking_seconds - (now - self._progress)
        if self._asked:
            left = max(left, config.first_byte_seconds + MARGIN - (now - self._asked))
        return left

    def _advance(self) -> None:
        self._progress = asyncio.get_running_loop().time()

    def _at(self, stage: str) -> None:
        self.stage = stage
        self._changed()

    @property
    def seconds(self) -> float:
        """How long it has lasted, s."""
        return max(0.0, self._ports.now() - self.record.begun)

    def doing(self) -> str:
        """Say in a few words what she is at, for after an interruption."""
        said = ' '.join(self.record.words.split())[:200]
        names = ', '.join(dict.fromkeys(call.name for call in self.record.calls))
        stage = '' if self.stage == THINKING else self.stage
        return '; '.join(part for part in (said, names, stage) if part)

    def turn(self, outcome: str, detail: str = '') -> Turn:
        """What the turn was, if it ended now."""
        return self.record.turn(outcome, self._ports.now(), detail)


def _said(completion: Completion) -> dict[str, Any]:
    """Return a completion as a chat message, as it is sent back."""
    message: dict[str, Any] = {'role': 'assistant', 'content': completion.text, **completion.extra}
    if completion.calls:
        message['tool_calls'] = [
            {
                'id': call.id,
                'type': 'function',
                'function': {'name': call.name, 'arguments': valid_arguments(call.arguments)},
            }
            for call in completion.calls
        ]
        if completion.reasoning:
            # Some servers refuse what follows a tool call without the reasoning before it.
            message['reasoning_content'] = completion.reasoning
    return message
