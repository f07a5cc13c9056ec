"""What a turn has done so far, and how it is told when it ends."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any

from soul.mind.providers.base import Completion, ToolCall
from soul.mind.tools.base import Result, Tool, digest, parse
from soul.mind.wall import Allowance
from soul.signals import Call, Message, NamedValue, Outcome, Turn, View, WakeId

#: The stage in which the model is asked.
THINKING = 'thinking'
#: So much of what she said, and of each argument of a call, tells one waking from another,
#: characters: a tail that differs is no other waking.
WORDS, ARGUMENT = 500, 80


def _begun(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return how the arguments of a call begin."""
    plain = {
        name: value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        for name, value in arguments.items()
    }
    return {name: ' '.join(value.split())[:ARGUMENT] for name, value in plain.items()}


@dataclasses.dataclass
class TurnRecord:
    """The account of one turn in progress."""

    view: View  # the one that began it
    epoch: int
    sequence: int
    session: str
    begun: float  # s of the node's clock
    #: Messages dealt with before that the field still shows; whether they were answered. They are
    #: told again with this turn, for whoever missed it.
    known: Mapping[str, bool] = dataclasses.field(default_factory=dict)
    seen: dict[str, None] = dataclasses.field(default_factory=dict)
    replied: dict[str, None] = dataclasses.field(default_factory=dict)
    calls: list[Call] = dataclasses.field(default_factory=list)
    allowance: Allowance = dataclasses.field(default_factory=Allowance)  # what it has used
    steps: int = 0  # answers of the model
    rest: float | None = None  # minutes; 0 leaves it to the heart
    drives: dict[str, float] = dataclasses.field(default_factory=dict)
    words: str = ''  # what she thought last
    said: str = ''  # what she answered last
    stages: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def wake(self) -> WakeId:
        """The wake of this turn."""
        return self.view.wake

    def see(self, messages: Iterable[Message]) -> None:
        """She has these messages before her eyes."""
        self.seen.update(dict.fromkeys(message.id for message in messages))

    def thought(self, completion: Completion, seconds: float) -> None:
        """Note an answer of the model, and how long it took, s."""
        self.steps += 1
        self.words = completion.text or self.words
        self.stage(THINKING, seconds)

    def stage(self, name: str, seconds: float) -> None:
        """Count how long a stage took."""
        self.stages[name] = self.stages.get(name, 0.0) + max(0.0, seconds)

    def doing(self, stage: str) -> str:
        """Say in a few words what she is at.

        Parameters
        ----------
        stage
            The tool in use; empty: none.
        """
        said = ' '.join(self.words.split())[:200]
        names = ', '.join(dict.fromkeys(call.name for call in self.calls))
        return '; '.join(part for part in (said, names, stage) if part)

    def acted(
        self, call: ToolCall, tool: Tool[Any] | None, result: Result, seconds: float
    ) -> None:
        """Note a tool call."""
        self.stage(call.name, seconds)
        try:
            arguments = digest(_begun(parse(call.arguments)))
        except ValueError:
            arguments = digest(call.arguments, ARGUMENT)
        routine = tool.routine if tool else True
        self.calls.append(
            Call(
                name=call.name,
                args_digest=arguments,
                reply_digest=digest(result.text),
                routine=routine if result.routine is None else result.routine,
                ok=result.ok,
                error='' if result.ok else result.text[:500],
                act_id=result.act_id,
                receipt=result.receipt,
                duration=max(0.0, seconds),
            )
        )
        if result.rest_minutes is not None:
            self.rest = result.rest_minutes
        self.drives.update(result.drives)

    def turn(self, outcome: str, now: float, detail: str = '') -> Turn:
        """Return what the turn was, if it ended now."""
        whole = outcome == Outcome.SLEPT
        acted = any(call.name != 'sleep' for call in self.calls)
        known = [message for message, answered in self.known.items() if answered]
        usage = self.allowance.usage
        seen = dict.fromkeys([*(self.seen if whole else self.replied), *self.known])
        return Turn(
            stamp=now,
            epoch=self.epoch,
            sequence=self.sequence,
            wake=self.wake,
            session=self.session,
            causes=self.view.causes,
            calls=tuple(self.calls),
            messages_seen=tuple(seen),
            messages_answered=tuple(dict.fromkeys([*self.replied, *known])),
            declined=whole and not acted,
            talk=bool(self.replied),
            steps=self.steps,
            tokens_in=usage.tokens_in,
            tokens_cached=usage.cached,
            tokens_out=usage.tokens_out,
            cost=self.allowance.cost,
            duration=max(0.0, now - self.begun),
            stages=tuple(NamedValue(name, value) for name, value in self.stages.items()),
            outcome=outcome,
            detail=detail,
            rest=60.0 * (self.rest or 0.0),
            drives=tuple(NamedValue(name, value) for name, value in self.drives.items()),
            reply_digest=digest(self.words, WORDS),
        )
