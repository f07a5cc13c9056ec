"""The rules of a transcript, as the strictest providers hold them, and how to mend one.

A transcript that breaks a rule would be refused by each call from then on, so it is mended
before it is sent and when it is read from the disk: a kill, a broken stream or an odd server
must not silence her for good.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from soul.mind.messages import (
    AssistantMessage,
    Message,
    Reasoning,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from soul.mind.providers.base import Completion
from soul.mind.providers.cleaning import clean_text, clean_value

#: What a call gets whose result nobody has written down.
UNKNOWN = '(It is not known what came of this; it may have happened.)'
NOTHING = '(nothing)'
#: So much is kept of arguments that are none, characters.
MALFORMED = 2000


def problems(messages: Sequence[Message]) -> list[str]:
    """Say what a strict provider would refuse; empty if nothing."""
    found: list[str] = []
    open_calls: list[str] = []
    known: set[str] = set()
    for number, message in enumerate(messages):
        where = f'message {number} ({message.role})'
        if isinstance(message, ToolResult):
            if message.call_id in open_calls:
                open_calls.remove(message.call_id)
            else:
                found.append(f'{where}: a result of no open call')
        elif open_calls:
            found.append(f'{where}: no result for {", ".join(open_calls)}')
            open_calls = []
        if isinstance(message, SystemMessage):
            found.append(f'{where}: a system message within a history')
        if empty(message):
            found.append(f'{where}: empty')
        if isinstance(message, AssistantMessage):
            for call in message.calls:
                found += [f'{where}: {wrong}' for wrong in _call_problems(call, known)]
                known.add(call.id)
                open_calls.append(call.id)
    if open_calls:
        found.append(f'the end: no result for {", ".join(open_calls)}')
    return found


def empty(message: Message) -> bool:
    """Whether a message says nothing."""
    if isinstance(message, AssistantMessage):
        return not (message.text or message.calls)
    if isinstance(message, UserMessage):
        return not (message.text or message.pictures)
    return not message.text


def _call_problems(call: ToolCall, known: set[str]) -> Iterable[str]:
    if not call.id:
        yield 'a call without id'
    elif call.id in known:
        yield f'the call id {call.id} again'
    if not call.name:
        yield 'a call without name'
    if valid_arguments(call.arguments) != call.arguments:
        yield 'arguments that are no JSON object'


def valid_arguments(arguments: Any) -> str:
    """Return arguments as a JSON object without half characters; what is none is kept inside one.

    What is one already stays as it was written.
    """
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    try:
        value = loads(arguments or '{}')
        if isinstance(value, dict):
            whole = clean_value(value) if '\\u' in arguments else value  # escapes may hide some
            if whole is not value:
                return json.dumps(whole, ensure_ascii=False)
            return arguments or '{}'
    except (ValueError, RecursionError):
        pass
    return json.dumps({'malformed': clean_text(arguments[:MALFORMED])}, ensure_ascii=False)


def loads(text: str) -> Any:
    """Read JSON as everybody reads it: without NaN, infinity and what only Python takes.

    Raises
    ------
    ValueError, RecursionError
        If it is none.
    """
    return json.loads(text, parse_constant=_no_number, parse_float=_finite)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f'{text} is no number')


def _finite(text: str) -> float:
    number = float(text)
    if number in (float('inf'), float('-inf')):
        raise ValueError(f'{text[:20]} is too large a number')
    return number


def missing(messages: Sequence[Message]) -> list[ToolResult]:
    """Return results for the calls of the last assistant message that have none yet."""
    wanted: dict[str, str] = {}
    for message in messages:
        if isinstance(message, AssistantMessage):
            wanted = {call.id: call.name for call in message.calls}
        elif isinstance(message, ToolResult):
            wanted.pop(message.call_id, None)
    return [result(call_id, UNKNOWN, name) for call_id, name in wanted.items()]


def result(call_id: str, text: str, name: str = '') -> ToolResult:
    """Return a tool's result; where there is nothing to read, it says so."""
    return ToolResult(call_id, text or NOTHING, name=name)


def mend(messages: Iterable[Message], used: set[str] | None = None) -> list[Message]:
    """Return the transcript without what breaks the rules; what keeps them stays untouched.

    Calls without a result get one that says so, results without a call go, each call gets an
    id of its own, a system message within it becomes something that she reads. An assistant
    message that needs no mending is the same object: signed reasoning in it stays what was signed.

    Parameters
    ----------
    used
        Ids of calls before these messages; those of these are added.
    """
    source = list(messages)
    mended: list[Message] = []
    used = set() if used is None else used
    position = 0
    while position < len(source):
        message = source[position]
        position += 1
        if isinstance(message, ToolResult):
            continue  # its call is gone
        if isinstance(message, SystemMessage):
            message = UserMessage(message.text)
        if not isinstance(message, AssistantMessage) or not message.calls:
            if not empty(message):
                mended.append(message)
            continue
        # The results stand between this message and the next that is none.
        results: dict[str, list[ToolResult]] = {}
        while position < len(source):
            following = source[position]
            if not isinstance(following, ToolResult):
                break
            results.setdefault(following.call_id, []).append(following)
            position += 1
        mended += _with_results(message, results, used)
    return mended


def _with_results(
    message: AssistantMessage, results: dict[str, list[ToolResult]], used: set[str]
) -> list[Message]:
    calls: list[ToolCall] = []
    answers: list[Message] = []
    for call in message.calls:
        if not call.name:
            continue
        call_id, number = call.id, 0
        while not call_id or call_id in used:
            number += 1
            call_id = f'{call.id or "call"}-{len(used)}-{number}'
        used.add(call_id)
        arguments = valid_arguments(call.arguments)
        kept = results.get(call.id)
        answers.append(_answer(kept.pop(0) if kept else None, call_id, call.name))
        if call_id != call.id or arguments != call.arguments:
            call = dataclasses.replace(call, id=call_id, arguments=arguments)
        calls.append(call)
    if calls != list(message.calls):
        message = dataclasses.replace(message, calls=tuple(calls))
    return [] if empty(message) else [message, *answers]


def _answer(kept: ToolResult | None, call_id: str, name: str) -> ToolResult:
    if kept is None:
        return result(call_id, UNKNOWN, name)
    if kept.call_id == call_id and kept.text and kept.name == name:
        return kept
    return dataclasses.replace(kept, call_id=call_id, text=kept.text or NOTHING, name=name)


def said(completion: Completion) -> AssistantMessage:
    """Return a completion as a message, as it is sent back."""
    calls = tuple(
        ToolCall(call.id, call.name, valid_arguments(call.arguments)) for call in completion.calls
    )
    thoughts = completion.thoughts
    if calls and completion.reasoning and not any(thought.sealed for thought in thoughts):
        # Some servers refuse what follows a tool call without the reasoning before it.
        thoughts = (Reasoning(completion.reasoning, origin=completion.origin),)
    return AssistantMessage(completion.text, calls, thoughts)


def with_thoughts_over(message: Message) -> Message:
    """Note that the waking of a message is over: most servers want plain reasoning no longer."""
    if isinstance(message, AssistantMessage) and not all(t.sealed for t in message.thoughts):
        thoughts = tuple(
            thought if thought.sealed else dataclasses.replace(thought, over=True)
            for thought in message.thoughts
        )
        return dataclasses.replace(message, thoughts=thoughts)
    return message
