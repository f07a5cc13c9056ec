"""One waking: see, think, act, again, until she sleeps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from soul.mind import tokens
from soul.mind.config import MindConfig
from soul.mind.hands import TurnHands
from soul.mind.ports import Ports
from soul.mind.prompt import Prompt
from soul.mind.providers.base import Completion, Provider, ProviderError, Request, ToolCall
from soul.mind.record import THINKING, Record
from soul.mind.session import Session
from soul.mind.spoken import calls_in
from soul.mind.thoughts import Thoughts
from soul.mind.tools.base import RESULT_LIMIT, Toolbox
from soul.mind.transcript import mend, result, valid_arguments
from soul.organ import Report
from soul.signals import Message, MessageMode, Outcome, Thought, ThoughtKind, Turn, View


class Cut(Exception):
    """The waking was ended from outside; carries the turn's outcome and why."""

    def __init__(self, outcome: str, detail: str, interrupted: bool = False) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail
        self.interrupted = interrupted


class Waking:
    """One turn in progress.

    Parameters
    ----------
    moment
        Returns what she reads of this moment (see :mod:`soul.mind.moment`).
    paid
        Counts a completion and says what it cost, USD.
    shorten
        Makes the history shorter at once; False if nothing can go.
    changed
        Called when something worth telling has changed.
    """

    def __init__(
        self,
        record: Record,
        config: MindConfig,
        ports: Ports,
        provider: Provider,
        toolbox: Toolbox,
        session: Session,
        prompt: Prompt,
        hands: TurnHands,
        moment: Callable[[View], str],
        paid: Callable[[Request, Completion], float],
        shorten: Callable[[], bool],
        changed: Callable[[], None],
    ) -> None:
        self.record = record
        self._config = config
        self._ports = ports
        self._provider = provider
        self._toolbox = toolbox
        self._session = session
        self._prompt = prompt
        self.hands = hands
        self._moment = moment
        self._paid = paid
        self._shorten = shorten
        self._changed = changed
        self._shown = record.view
        self._progress = asyncio.get_running_loop().time()
        self._fresh = 0  # tokens this waking has brought, see _spend()
        self.stage = THINKING

    # --- the loop -------------------------------------------------------------------------

    async def live(self) -> Turn:
        """Live this waking.

        Raises
        ------
        ProviderError
            If the model gives no answer; :meth:`turn` still tells what happened until then.
        Cut
            If a wall is reached.
        """
        view, prompt = self.record.view, self._prompt
        self._meet(view.messages)
        self._session.add({'role': 'user', 'content': self._moment(view)}, prompt.line(view))
        reminded = acted = False
        while True:
            self._interject()
            completion = await self._think()
            asleep = False
            for call in completion.calls:
                asleep = await self._act(call) or asleep
                acted = True
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
        if text.strip() and waiting and not acted:
            self.hands.reply(waiting[-1], text.strip())
            return self.turn(Outcome.SLEPT, 'she answered in plain words and was put to rest')
        return self.turn(Outcome.SLEPT, 'she never slept and was put to rest')

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

    # --- thinking -------------------------------------------------------------------------

    async def _think(self) -> Completion:
        self._at(THINKING)
        begun = self._ports.now()
        thoughts = Thoughts(self._ports.emit, self.record.session)

        def heard(kind: str, text: str) -> None:
            self._advance()
            thoughts.heard(kind, text)

        request = self._request()
        try:
            completion = await self._provider.complete(request, heard)
        except ProviderError as error:
            if not (error.too_long and self._shorten()):
                raise
            request = self._request()
            completion = await self._provider.complete(request, heard)
        thoughts.flush()
        self._advance()
        completion = calls_in(completion, self._toolbox.names(), f'said-{self.record.sequence}')
        completion = self._session.own_ids(completion)
        self.record.thought(completion, self._paid(request, completion), self._ports.now() - begun)
        if completion.text or completion.calls:
            self._session.add(_said(completion))
        self._spend(completion)
        self._changed()
        return completion

    def _request(self) -> Request:
        messages = mend([*self._session.history(), *self._session.conversation()])
        return Request(
            messages=[self._prompt.system(self.record.view), *messages],
            tools=self._toolbox.schemas(),
            view=self.hands.raw if self._shown is self.hands.raw else self._shown,
            step=self.record.steps,
        )

    def _spend(self, completion: Completion) -> None:
        """Hold her to what one waking may use.

        What the provider serves from its cache does not count, nor does the first call's
        history: a long life is no runaway chain.
        """
        usage = completion.usage
        self._fresh += usage.tokens_out
        if self.record.steps > 1:
            self._fresh += usage.tokens_in - usage.cached
        limit = self._config.waking_tokens
        if limit and self._fresh >= limit and not any(c.name == 'sleep' for c in completion.calls):
            raise Cut(Outcome.CUT, f'the waking used its {limit} tokens')

    # --- acting ---------------------------------------------------------------------------

    async def _act(self, call: ToolCall) -> bool:
        self._at(call.name)
        self._ports.emit(
            Thought(
                session=self.record.session,
                kind=ThoughtKind.TOOL,
                text=f'{call.name} {call.arguments}'.strip()[:2000],
            )
        )
        begun = self._ports.now()
        came = await self._toolbox.use(call.name, call.arguments, self.hands)
        self._advance()
        tool = self._toolbox.get(call.name)
        self.record.acted(call, tool, came, self._ports.now() - begun)
        if tool is not None and tool.origin:
            self.hands.outside.came(tool.origin, came.text)
        if came.broke:
            self._ports.emit(Report('error', f'the tool {call.name} broke: {came.broke}'))
        text = came.text
        if len(text) > RESULT_LIMIT:
            text = f'{text[:RESULT_LIMIT]} … {self._prompt.too_long(len(text))}'
        self._session.add(result(call.id, text))
        if came.pictures and self._config.vision:
            self._session.add(*self._prompt.picture(came.pictures))
        if came.seen:
            await self.hands.show(came.seen, call.name)
        return came.ends

    # --- from outside ---------------------------------------------------------------------

    def interrupted(self, view: View) -> bool:
        """Whether a view brings a message that cuts this waking."""
        return any(
            m.mode == MessageMode.INTERRUPT and m.id not in self.record.seen for m in view.messages
        )

    def left(self) -> float:
        """Seconds until the wall, if nothing happens; letting time pass is something."""
        if self.hands.waiting:
            self._advance()
        idle = asyncio.get_running_loop().time() - self._progress
        return self._config.waking_seconds - idle

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


def length(request: Request) -> int:
    """Estimate the tokens of a request."""
    return tokens.of_messages(request.messages) + tokens.of_tools(request.tools)
