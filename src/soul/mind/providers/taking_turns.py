"""Messages as turns of two sides, for protocols in which a turn has parts; each made once."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

from soul.mind.messages import AssistantMessage, Message, SystemMessage, shared

Part = dict[str, Any]


class TakingTurns:
    """The turns of the newest request; those that another one begins with are taken from it.

    Parameters
    ----------
    model
        What the model's side is called; the other one is the user.
    parts
        Under which name a turn holds its parts.
    filler
        The part with which a user's turn is made where the last one is not theirs.
    """

    def __init__(self, model: str, parts: str, filler: Part) -> None:
        self._model = model
        self._parts = parts
        self._filler = filler
        self._messages: list[Message] = []
        self._written: list[list[Part]] = []
        self._turns: list[Part] = []
        self._starts: list[int] = []  # of each turn: the number of its first message

    def of(self, messages: list[Message], written: list[list[Part]]) -> list[Part]:
        """Return the turns of a request; a turn may be replaced in it, but not changed."""
        same = shared(messages, self._messages)
        # the turn of the last message that both have is made anew
        kept = max(0, bisect.bisect_left(self._starts, same) - 1)
        first = self._starts[kept] if kept else 0
        turns, starts = self._turns[:kept], self._starts[:kept]
        for number in range(first, len(messages)):
            message = messages[number]
            if isinstance(message, SystemMessage):
                continue
            role = self._model if isinstance(message, AssistantMessage) else 'user'
            if len(starts) == kept or turns[-1]['role'] != role:
                turns.append({'role': role, self._parts: []})
                starts.append(number)
            turns[-1][self._parts] += written[number]
        self._messages, self._written = messages, written
        self._turns, self._starts = turns, starts
        if turns and turns[-1]['role'] == 'user':
            return list(turns)
        return [*turns, {'role': 'user', self._parts: [self._filler]}]

    def ends_of(self, messages: Sequence[Message]) -> list[tuple[int, int]]:
        """Return turn and last part of those messages that are sent as they are."""
        found = []
        for message in messages:
            numbers = range(len(self._messages) - 1, -1, -1)  # they are among the newest
            number = next((n for n in numbers if self._messages[n] is message), None)
            if number is None or isinstance(message, SystemMessage):
                continue
            turn = bisect.bisect_right(self._starts, number) - 1
            start = self._starts[turn]
            found.append((turn, sum(map(len, self._written[start : number + 1])) - 1))
        return found
