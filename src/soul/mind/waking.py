"""One waking: see, think, act, again, until she sleeps."""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from soul.mind import prompt
from soul.mind.config import MindConfig
from soul.mind.counters import Counters, cost
from soul.mind.ports import NoAnswer, Ports
from soul.mind.providers.base import Completion, Provider, Request, ToolCall
from soul.mind.session import Session
from soul.mind.thoughts import Thoughts
from soul.mind.tools.base import RESULT_LIMIT, Result, Toolbox, digest, parse
from soul.signals import (
    Act,
    AttendAction,
    AttendRequest,
    Call,
    Message,
    MessageMode,
    Outcome,
    Reply,
    Thought,
    ThoughtKind,
    Turn,
    View,
)


class Cut(Exception):
    """The waking was ended from outside; carries the turn's outcome and why."""

    def __init__(self, outcome: str, detail: str) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail


class Waking:
    """One turn in progress. It is also the hands of the tools (:class:`Hands`)."""

    def __init__(
        self,
        view: View,
        epoch: int,
        sequence: int,
        config: MindConfig,
        ports: Ports,
        provider: Provider,
        toolbox: Toolbox,
        session: Session,
        counters: Counters,
        act_ended: Callable[[str, float], Awaitable[Act | None]],
        changed: Callable[[], None],
    ) -> None:
        self._view = view
        self._shown = view
        self.wake = view.wake
        self._epoch, self._sequence = epoch, sequence
        self._config = config
        self._ports = ports
        self._provider = provider
        self._toolbox = toolbox
        self._life = session
        self._counters = counters
        self._act_ended = act_ended
        self._changed = changed
        self._begun = ports.now()
        self._progress = asyncio.get_running_loop().time()
        self._calls: list[Call] = []
        self._seen: dict[str, None] = {m.id: None for m in view.messages}
        self._replied: dict[str, None] = {}
        self._steps = 0
        self._tokens = [0, 0, 0]
        self._cost = 0.0
        self._rest: float | None = None
        self._words = ''
        self.stage = 'thinking'

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
        self._life.add(
            {'role': 'user', 'content': prompt.moment(self._view)}, prompt.line(self._view)
        )
        reminded = False
        while True:
            self._interject()
            completion = await self._think()
            asleep = False
            for call in completion.calls:
                asleep = await self._act(call) or asleep
            if asleep:
                return self.turn(Outcome.SLEPT)
            if not completion.calls:
                if reminded:
                    return self.turn(Outcome.SLEPT, 'she never slept and was put to rest')
                reminded = True
                self._life.add({'role': 'user', 'content': prompt.STILL_AWAKE})
            limit = self._config.waking_tokens
            if limit and self._tokens[0] + self._tokens[2] >= limit:
                raise Cut(Outcome.CUT, f'the waking used its {limit} tokens')

    def _interject(self) -> None:
        if self._shown is self._view or self._shown.text == self._view.text:
            return
        self._shown = self._view
        new = [m for m in self._view.messages if m.id not in self._seen]
        self._seen.update(dict.fromkeys(m.id for m in new))
        if new:
            content = prompt.interjection(self._view)
            people = ', '.join(dict.fromkeys(m.sender for m in new))
            self._life.add({'role': 'user', 'content': content}, f'({people} came to the door)')

    async def _think(self) -> Completion:
        self.stage = 'thinking'
        thoughts = Thoughts(self._ports.emit, self.session)

        def heard(kind: str, text: str) -> None:
            self._advance()
            thoughts.heard(kind, text)

        request = Request(
            messages=prompt.messages(
                self._config.persona, self._life.history(), self._life.conversation()
            ),
            tools=self._toolbox.schemas(),
            view=self._view,
            step=self._steps,
        )
        completion = await self._provider.complete(request, heard)
        thoughts.flush()
        self._advance()
        self._steps += 1
        usage = completion.usage
        self._tokens[0] += usage.tokens_in
        self._tokens[1] += usage.cached
        self._tokens[2] += usage.tokens_out
        price = cost(usage, self._config)
        self._cost += price
        self._counters.add(usage, price)
        self._life.used(completion, price)
        self._words = completion.text or self._words
        message: dict[str, Any] = {'role': 'assistant', 'content': completion.text}
        if completion.calls:
            message['tool_calls'] = [
                {
                    'id': call.id,
                    'type': 'function',
                    'function': {'name': call.name, 'arguments': _valid(call.arguments)},
                }
                for call in completion.calls
            ]
        if completion.text or completion.calls:
            self._life.add(message)
        self._changed()
        return completion

    async def _act(self, call: ToolCall) -> bool:
        self.stage = call.name
        self._changed()
        self._ports.emit(
            Thought(
                session=self.session,
                kind=ThoughtKind.TOOL,
                text=f'{call.name} {call.arguments}'.strip()[:2000],
            )
        )
        begun = self._ports.now()
        result = await self._toolbox.use(call.name, call.arguments, self)
        self._advance()
        self._note(call, result, self._ports.now() - begun)
        text = result.text
        if len(text) > RESULT_LIMIT:
            text = text[:RESULT_LIMIT] + f' … ({len(result.text)} characters in all)'
        self._life.add({'role': 'tool', 'tool_call_id': call.id, 'content': text or '(nothing)'})
        if result.seen:
            await self._attend(
                AttendRequest(action=AttendAction.SEEN, text=result.seen, source=call.name)
            )
        if result.rest_minutes is not None:
            self._rest = result.rest_minutes
        return result.ends

    def _note(self, call: ToolCall, result: Result, seconds: float) -> None:
        tool = self._toolbox.get(call.name)
        try:
            arguments = digest(parse(call.arguments))
        except ValueError:
            arguments = digest(call.arguments)
        self._calls.append(
            Call(
                name=call.name,
                args_digest=arguments,
                reply_digest=digest(result.text),
                routine=tool.routine if tool else True,
                ok=result.ok,
                error='' if result.ok else result.text[:500],
                act_id=result.act_id,
                receipt=result.receipt,
                seconds=max(0.0, seconds),
            )
        )

    async def _attend(self, request: AttendRequest) -> None:
        with contextlib.suppress(NoAnswer):  # she goes on with what she sees
            self.see((await self.ask('field/attend', request)).view)

    # --- from outside ---------------------------------------------------------------------

    def see(self, view: View) -> None:
        """Take a newer render of her field."""
        if view.wake == self._view.wake and view.render <= self._view.render:
            return
        self._view = view

    def interrupted(self, view: View) -> bool:
        """Whether a view brings a message that cuts this waking."""
        return any(
            m.mode == MessageMode.INTERRUPT and m.id not in self._seen for m in view.messages
        )

    @property
    def seconds(self) -> float:
        """How long it has lasted, s."""
        return max(0.0, self._ports.now() - self._begun)

    def left(self) -> float:
        """Seconds until the wall, if nothing happens."""
        idle = asyncio.get_running_loop().time() - self._progress
        return self._config.waking_seconds - idle

    def _advance(self) -> None:
        self._progress = asyncio.get_running_loop().time()

    # --- hands ----------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """What she sees now, without what she has answered already."""
        return self._view

    @property
    def session(self) -> str:
        """The session of this turn; empty is the one stream of consciousness."""
        return ''

    def now(self) -> float:
        """Seconds of the node's clock."""
        return self._ports.now()

    async def ask(self, to: str, request: Any, seconds: float = 5.0) -> Any:
        """Ask another organ."""
        return await self._ports.ask(to, request, seconds)

    async def act_ended(self, act_id: str, seconds: float) -> Act | None:
        """Wait for an outward act to end."""
        return await self._act_ended(act_id, seconds)

    def reply(self, message: Message | None, text: str) -> Reply:
        """Answer somebody: written down, then said."""
        reply = Reply(
            stamp=self._ports.now(),
            id=uuid.uuid4().hex,
            in_reply_to=message.id if message else '',
            session=message.session if message else self.session,
            text=text,
        )
        self._life.reply(reply)
        if message is not None:
            self._replied[message.id] = None
        self._ports.emit(reply)
        return reply

    # --- the end --------------------------------------------------------------------------

    def turn(self, outcome: str, detail: str = '') -> Turn:
        """What the turn was, if it ended now."""
        whole = outcome == Outcome.SLEPT
        acted = any(call.name != 'sleep' for call in self._calls)
        return Turn(
            stamp=self._ports.now(),
            epoch=self._epoch,
            sequence=self._sequence,
            wake=self.wake,
            session=self.session,
            causes=self._view.causes,
            calls=tuple(self._calls),
            messages_seen=tuple(self._seen if whole else self._replied),
            messages_answered=tuple(self._replied),
            declined=whole and not acted,
            talk=bool(self._replied),
            steps=self._steps,
            tokens_in=self._tokens[0],
            tokens_cached=self._tokens[1],
            tokens_out=self._tokens[2],
            cost=self._cost,
            seconds=self.seconds,
            outcome=outcome,
            detail=detail,
            rest_requested=bool(self._rest),
            rest_minutes=self._rest or 0.0,
            reply_digest=digest(self._words),
        )


def _valid(arguments: str) -> str:
    """Keep a transcript valid: arguments that are not JSON would be refused for ever."""
    try:
        parse(arguments)
    except ValueError:
        return json.dumps({'malformed': arguments}, ensure_ascii=False)
    return arguments or '{}'
