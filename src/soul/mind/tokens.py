"""How long a text is for a model, without its tokenizer.

A rough count, corrected by what the server reports: servers that report nothing, or zero, leave
it as it is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from soul.mind.messages import AssistantMessage, Message, ToolResult, UserMessage, shared
from soul.mind.providers.base import Completion, Request, Usage

#: Characters of European scripts in one token, about.
CHARACTERS = 4.0
#: Tokens of one character of any other script, about.
WIDE = 0.8
#: What the form of a chat message adds.
OVERHEAD = 4
#: What a picture adds, about.
PICTURE = 800
#: A server's count moves the correction by this part.
LEARNING = 0.3
#: The correction stays between these: a server may report something else than it read.
LEAST, MOST = 0.5, 3.0
#: Shorter requests are cached by no provider.
CACHEABLE = 2048
#: So many requests without anything from a cache: there is none.
CERTAIN = 3


_WIDE = re.compile('[^\x00-\u024f]+')


def of_text(text: str) -> int:
    """Estimate the tokens of a text."""
    if text.isascii():
        return math.ceil(len(text) / CHARACTERS)
    wide = sum(map(len, _WIDE.findall(text)))
    return math.ceil((len(text) - wide) / CHARACTERS + wide * WIDE)


def of_message(message: Message) -> int:
    """Estimate the tokens of one message."""
    total = OVERHEAD + of_text(message.text)
    if isinstance(message, (UserMessage, ToolResult)):
        return total + PICTURE * len(message.pictures)
    if isinstance(message, AssistantMessage):
        for call in message.calls:
            total += OVERHEAD + of_text(call.name) + of_text(call.arguments)
        for thought in message.thoughts:
            total += 0 if thought.over else of_text(thought.text)
            if thought.sealed:
                total += of_text(json.dumps(thought.sealed, ensure_ascii=False))
    return total


def of_messages(messages: Iterable[Message]) -> int:
    """Estimate the tokens of messages."""
    return sum(of_message(message) for message in messages)


class Lengths:
    """Estimates of requests; what a request shares with the one before is not estimated again.

    Requests of one life begin alike: after the first message, which says who she is, each has the
    messages of the one before, but for the last ones, and then new ones.
    """

    def __init__(self) -> None:
        self._messages: list[Message] = []  # of the newest request, but for the first
        self._sums: list[int] = [0]  # tokens up to each of them
        self._tools: tuple[object, int] = ((), 0)

    def of_request(self, request: Request) -> int:
        """Estimate the tokens of a request."""
        first, messages = request.messages[:1], list(request.messages[1:])
        same = shared(messages, self._messages)
        sums = self._sums[: same + 1]
        for message in messages[same:]:
            sums.append(sums[-1] + of_message(message))
        self._messages, self._sums = messages, sums
        if self._tools[0] is not request.tools:
            self._tools = request.tools, of_tools(request.tools)
        return of_messages(first) + sums[-1] + self._tools[1]


def of_tools(tools: Iterable[Mapping[str, Any]]) -> int:
    """Estimate the tokens of tool descriptions."""
    return sum(of_text(json.dumps(tool, ensure_ascii=False)) for tool in tools)


def of_completion(completion: Completion) -> int:
    """Estimate the tokens of an answer."""
    calls = sum(OVERHEAD + of_text(c.name) + of_text(c.arguments) for c in completion.calls)
    return of_text(completion.text) + of_text(completion.reasoning) + calls


class TokenGauge:
    """Corrects estimates by what a server has counted, and learns whether it has a cache."""

    def __init__(self) -> None:
        self.factor = 1.0
        self.cached_part = 0.0  # of a request that a cache serves, about
        self._uncached = 0  # requests in a row of which a cache should have served something

    def heard(self, estimated: int, usage: Usage, step: int) -> None:
        """A server has counted a request that was estimated; 0: it did not count."""
        counted = usage.tokens_in
        if estimated <= 0 or counted <= 0:
            return
        self.cached_part += LEARNING * (usage.cached / counted - self.cached_part)
        if usage.cached:
            self._uncached = 0
        elif step and counted >= CACHEABLE:
            self._uncached += 1
        seen = min(MOST, max(LEAST, counted / estimated))
        self.factor += LEARNING * (seen - self.factor)

    @property
    def without_cache(self) -> bool:
        """Whether the server reads everything anew each time."""
        return self._uncached >= CERTAIN

    def correct(self, estimated: int) -> int:
        """Return what a server would count."""
        return math.ceil(estimated * self.factor)
