"""One waking: see, think, act, again, until she sleeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from soul.core.organ import Report
from soul.mind.briefing import Briefing
from soul.mind.config import MindConfig
from soul.mind.cut import Cut
from soul.mind.fruitless import Fruitless
from soul.mind.inference import Inference
from soul.mind.made_calls import made_calls
from soul.mind.messages import UserMessage
from soul.mind.patience import Patience
from soul.mind.ports import Ports
from soul.mind.providers.base import Completion, ProviderError, ToolCall
from soul.mind.providers.cleaning import clean_text
from soul.mind.session import Session
from soul.mind.text_tool_calls import spoken
from soul.mind.thoughts import Thoughts
from soul.mind.tools.base import RESULT_LIMIT, Result
from soul.mind.transcript import result, said
from soul.mind.turn_context import TurnContext
from soul.mind.turn_record import THINKING, TurnRecord
from soul.mind.wall import Exhausted
from soul.signals import Message, Outcome, Thought, ThoughtKind, Turn, View

#: Tools with which she answers somebody.
ANSWERS = frozenset({'reply'})


class TurnRunner:
    """One turn in progress.

    Parameters
    ----------
    moment
        Returns what she reads of this moment in this conversation.
    shorten
        Makes the history shorter at once; False if nothing can go.
    settle
        Makes sure that this turn is on the disk; called before each deed, raises OSError.
    changed
        Called when what she is at has changed.
    """

    def __init__(
        self,
        record: TurnRecord,
        config: MindConfig,
        ports: Ports,
        inference: Inference,
        briefing: Briefing,
        session: Session,
        context: TurnContext,
        moment: Callable[[View], str],
        shorten: Callable[[], bool],
        settle: Callable[[], None],
        changed: Callable[[], None],
    ) -> None:
        self.record = record
        self._config = config
        self._ports = ports
        self._inference = inference
        self._briefing = briefing
        self._toolbox = briefing.toolbox
        self._prompt = briefing.prompt
        self._session = session
        self.context = context
        self._moment = moment
        self._shorten = shorten
        self._settle = settle
        self._changed = changed
        self._shown = record.view
        self._patience = Patience(config)
        self._fruitless = Fruitless(config.fruitless_steps)
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
        self._session.add(UserMessage(self._moment(view)), prompt.line(view))
        reminded = acted = False
        while True:
            self._interject()
            completion, left_out = await self._think()
            if completion.empty and not acted:
                raise ProviderError('the model gave an empty answer')
            came = await self._act_all(completion.calls, left_out)
            asleep = any(one.ends for one in came)
            acted = acted or bool(came)
            unheard = self._unheard(completion, came)
            if unheard and asleep:
                # Whoever waits must not be left standing because an answer was refused.
                self._fruitless.count([one for one in came if not one.ends])
                asleep = False
                text = prompt.still_awake(self.context.waiting_messages)
                self._session.add(UserMessage(text))
                continue
            self._fruitless.count(came)
            if asleep and (reminded or not self._forgets()):
                return self.turn(Outcome.SLEPT)
            if asleep or not completion.calls:
                if reminded:
                    return self._put_to_rest(completion.text, acted)
                reminded = True
                text = prompt.still_awake(self.context.waiting_messages)
                self._session.add(UserMessage(text))

    def _forgets(self) -> bool:
        """Whether a small model goes to sleep and leaves somebody standing at the door.

        Others may mean it.
        """
        return self._config.compact and bool(self.context.waiting_messages)

    def _put_to_rest(self, text: str, acted: bool) -> Turn:
        """End the waking of a model that never sleeps.

        One that was told and still only writes is taken to mean what it wrote as its answer:
        whoever is at the door must not be met by silence.
        """
        waiting = self.context.waiting_messages
        if waiting and not acted and any(spoken(text)):
            why = 'what she wrote to be her answer is a call that is not hers'
            raise Cut(Outcome.CUT, why, failed=True)
        if text.strip() and waiting and not acted:
            self.context.reply(waiting[-1], text.strip())
            return self.turn(Outcome.SLEPT, 'she answered in plain words and was put to rest')
        return self.turn(Outcome.SLEPT, 'she never slept and was put to rest')

    def _unheard(self, completion: Completion, came: Sequence[Result]) -> bool:
        """Whether she meant to answer, her answer was refused, and somebody still waits."""
        refused = any(
            call.name in ANSWERS and not one.ok
            for call, one in zip(completion.calls, came, strict=True)
        )
        return refused and bool(self.context.waiting_messages)

    def _interject(self) -> None:
        view = self.context.raw
        if self._shown is view or self._shown.text == view.text:
            return
        self._shown = view
        new = self.context.new
        self._meet(new)
        if new:
            content, line = self._prompt.interjection(view, new)
            self._session.add(UserMessage(content), line)

    def _meet(self, messages: Iterable[Message]) -> None:
        """She has these before her eyes; what they say is not hers."""
        messages = list(messages)
        self.record.see(messages)
        for message in messages:
            self.context.outside.came('person', message.text)
            allowance = self.record.allowance
            allowance.trusted = allowance.trusted or message.trusted

    # --- thinking -------------------------------------------------------------------------

    async def _think(self) -> tuple[Completion, int]:
        """Ask the model; returns its answer, and how many of its calls are not made."""
        self._at(THINKING)
        begun = self._ports.now()
        thoughts = Thoughts(self._ports.emit, self.record.session)

        def heard(kind: str, text: str) -> None:
            self._patience.heard()
            if kind != 'call':
                thoughts.heard(kind, text)

        try:
            completion = await self._ask(heard)
        except ProviderError as error:
            if not (error.too_long and self._shorten()):
                raise
            completion = await self._ask(heard)
        thoughts.flush()
        if completion.warning:
            self._ports.emit(Report('warning', completion.warning))
        prefix = f'said-{self.record.sequence}'
        completion, left_out = await made_calls(
            completion, self._toolbox, self._session, prefix, self._outside()
        )
        self.record.thought(completion, self._ports.now() - begun)
        if not completion.empty:
            self._session.add(said(completion))
        self._changed()
        return completion, left_out

    async def _ask(self, heard: Callable[[str, str], None]) -> Completion:
        record = self.record
        request = self._briefing.request(self._session, record.view, self._shown, record.steps)
        self._patience.asks()
        try:
            return await self._inference.ask(request, heard, record.allowance, self._patience.asks)
        except Exhausted as limit:
            raise Cut(Outcome.CUT, str(limit), failed=not limit.day, day=limit.day) from limit
        finally:
            self._patience.heard()

    def _outside(self) -> Iterable[str]:
        """What came from outside in this conversation, as far as it is carried along."""
        yield from self.context.outside.texts()
        for message in (*self._session.history(), *self._session.conversation()):
            if message.role != 'assistant':
                yield message.text

    # --- acting ---------------------------------------------------------------------------

    async def _act_all(self, calls: Sequence[ToolCall], left_out: int) -> list[Result]:
        more = self._prompt.left_out(left_out) if left_out else ''
        return [await self._act(call, '' if n else more) for n, call in enumerate(calls)]

    async def _act(self, call: ToolCall, more: str) -> Result:
        self._settle()
        self._at(call.name)
        self._ports.emit(
            Thought(
                session=self.record.session,
                kind=ThoughtKind.TOOL,
                text=f'{call.name} {call.arguments}'.strip()[:2000],
            )
        )
        begun = self._ports.now()
        came = await self._toolbox.use(call, self.context)
        self._patience.advance()
        tool = self._toolbox.get(call.name)
        self.record.acted(call, tool, came, self._ports.now() - begun)
        if tool is not None and tool.origin:
            self.context.outside.came(tool.origin, came.text)
        if came.broke:
            self._ports.emit(Report('error', f'the tool {call.name} broke: {came.broke}'))
        text = clean_text(came.text)
        if len(text) > RESULT_LIMIT:
            text = f'{text[:RESULT_LIMIT]} … {self._prompt.too_long(len(text))}'
        if more:
            text = f'{text} {more}'
        pictures = came.pictures if self._config.vision else ()
        self._session.add(*self._prompt.shown(result(call.id, text, call.name), pictures))
        if came.seen:
            await self.context.show(came.seen, call.name)
        return came

    # --- from outside ---------------------------------------------------------------------

    def left(self) -> float:
        """Seconds until the wall, if nothing happens."""
        if self.context.waiting:  # letting time pass is something
            self._patience.advance()
        return self._patience.left()

    def _at(self, stage: str) -> None:
        self.stage = stage
        self._changed()

    @property
    def seconds(self) -> float:
        """How long it has lasted, s."""
        return max(0.0, self._ports.now() - self.record.begun)

    def doing(self) -> str:
        """Say in a few words what she is at, for after an interruption."""
        return self.record.doing('' if self.stage == THINKING else self.stage)

    def turn(self, outcome: str, detail: str = '') -> Turn:
        """What the turn was, if it ended now."""
        return self.record.turn(outcome, self._ports.now(), detail)
