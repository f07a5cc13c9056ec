"""The rules of a chat transcript, as the strictest providers hold them, and how to mend one.

A transcript that breaks a rule would be refused by each call from then on, so it is mended
before it is sent and when it is read from the disk: a kill, a broken stream or an odd server
must not silence her for good.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from soul.mind.providers.base import Completion
from soul.mind.providers.cleaning import clean_value

ROLES = ('user', 'assistant', 'tool')
#: What a call gets whose result nobody has written down.
UNKNOWN = '(It is not known what came of this; it may have happened.)'
NOTHING = '(nothing)'
#: So much is kept of arguments that are none, characters.
MALFORMED = 2000

Message = dict[str, Any]


def problems(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say what a strict provider would refuse; empty if nothing."""
    found: list[str] = []
    open_calls: list[str] = []
    known: set[str] = set()
    for number, message in enumerate(messages):
        role = message.get('role')
        where = f'message {number} ({role})'
        if role not in ROLES:
            found.append(f'{where}: unknown role')
            continue
        if role == 'tool':
            if message.get('tool_call_id') in open_calls:
                open_calls.remove(message['tool_call_id'])
            else:
                found.append(f'{where}: a result of no open call')
        elif open_calls:
            found.append(f'{where}: no result for {", ".join(open_calls)}')
            open_calls = []
        if not message.get('content') and not (role == 'assistant' and message.get('tool_calls')):
            found.append(f'{where}: empty')
        for call in message.get('tool_calls') or ():
            found += [f'{where}: {wrong}' for wrong in _call_problems(call, known)]
            known.add(call.get('id', ''))
            open_calls.append(call.get('id', ''))
    if open_calls:
        found.append(f'the end: no result for {", ".join(open_calls)}')
    return found


def _call_problems(call: Mapping[str, Any], known: set[str]) -> Iterable[str]:
    function = call.get('function') or {}
    if not call.get('id'):
        yield 'a call without id'
    elif call['id'] in known:
        yield f'the call id {call["id"]} again'
    if not function.get('name'):
        yield 'a call without name'
    try:
        if not isinstance(json.loads(function.get('arguments') or ''), dict):
            yield 'arguments that are no object'
    except (TypeError, ValueError, RecursionError):
        yield 'arguments that are not JSON'


def valid_arguments(arguments: Any) -> str:
    """Return arguments as a JSON object; what is none is kept inside one."""
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    try:
        if isinstance(json.loads(arguments or '{}'), dict):
            return arguments or '{}'
    except (ValueError, RecursionError):
        pass
    return json.dumps({'malformed': arguments[:MALFORMED]}, ensure_ascii=False)


def missing(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Return results for the calls of the last assistant message that have none yet."""
    wanted: list[str] = []
    for message in messages:
        if message.get('role') == 'assistant':
            wanted = [call.get('id', '') for call in message.get('tool_calls') or ()]
        elif message.get('role') == 'tool' and message.get('tool_call_id') in wanted:
            wanted.remove(message['tool_call_id'])
    return [result(call_id, UNKNOWN) for call_id in wanted]


def result(call_id: str, text: str) -> Message:
    """Return a tool's result as a chat message."""
    return {'role': 'tool', 'tool_call_id': call_id, 'content': text or NOTHING}


def mend(messages: Iterable[Mapping[str, Any]], used: set[str] | None = None) -> list[Message]:
    """Return the transcript without what breaks the rules; what keeps them stays untouched.

    Calls without a result get one that says so, results without a call go, each call gets an
    id of its own. An assistant message that needs no mending is as it was: signed reasoning in it
    stays what was signed.

    Parameters
    ----------
    used
        Ids of calls before these messages; those of these are added.
    """
    source = [dict(message) for message in messages if _usable(message)]
    mended: list[Message] = []
    used = set() if used is None else used
    position = 0
    while position < len(source):
        message = source[position]
        position += 1
        if message['role'] == 'tool':
            continue  # its call is gone
        calls = message.get('tool_calls') if message['role'] == 'assistant' else None
        if not calls:
            if message.get('content'):
                message.pop('tool_calls', None)
                mended.append(message)
            continue
        # The results stand between this message and the next that is none.
        results: dict[str, list[Message]] = {}
        while position < len(source) and source[position]['role'] == 'tool':
            results.setdefault(source[position]['tool_call_id'], []).append(source[position])
            position += 1
        mended += _with_results(message, results, used)
    return mended


def read(kept: Any) -> Message:
    """Return a chat message that was kept on a disk, in the form that everything here relies on.

    Texts are cleaned; calls without an id or a name get one that says so, or go.

    Raises
    ------
    ValueError
        Saying why it is none.
    """
    if not isinstance(kept, Mapping):
        raise ValueError('it is no object')
    message: Message = dict(clean_value(kept))
    if message.get('role') not in ROLES:
        raise ValueError(f'its role is {message.get("role")!r}')
    content = message.get('content')
    if isinstance(content, list):
        message['content'] = [part for part in content if _is_part(part)]
    elif content is not None and not isinstance(content, str):
        raise ValueError(f'its content is {type(content).__name__}')
    calls = message.pop('tool_calls', None) or []
    if not isinstance(calls, list):
        raise ValueError('its calls are no list')
    readable = [_call(call) for call in calls]
    if any(call is not None for call in readable):
        message['tool_calls'] = [call for call in readable if call is not None]
    if message['role'] == 'tool' and not isinstance(message.get('tool_call_id'), str):
        raise ValueError('it is the result of no call')
    if message['role'] != 'tool' and not (message.get('content') or message.get('tool_calls')):
        raise ValueError('it says nothing')
    return message


def _is_part(part: Any) -> bool:
    """Whether something is a part of a message's content: a text or a picture."""
    if not isinstance(part, Mapping):
        return False
    return part.get('type') != 'text' or isinstance(part.get('text'), str)


def _call(call: Any) -> dict[str, Any] | None:
    function = call.get('function') if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get('name'), str):
        return None
    arguments = valid_arguments(function.get('arguments') or '')
    return {
        'id': str(call.get('id') or ''),
        'type': 'function',
        'function': {'name': function['name'], 'arguments': arguments},
    }


def _usable(message: Any) -> bool:
    if not isinstance(message, Mapping) or message.get('role') not in ROLES:
        return False
    return message['role'] != 'tool' or bool(message.get('tool_call_id'))


def _with_results(
    message: Message, results: dict[str, list[Message]], used: set[str]
) -> list[Message]:
    calls, answers, changed = [], [], False
    for call in message['tool_calls']:
        function = call.get('function') if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not function.get('name'):
            changed = True
            continue
        call_id = old = call.get('id') or ''
        number = 0
        while not call_id or call_id in used:
            number += 1
            call_id = f'{old or "call"}-{len(used)}-{number}'
        used.add(call_id)
        arguments = valid_arguments(function.get('arguments') or '')
        if call_id != old or arguments != function.get('arguments'):
            call = {**call, 'id': call_id, 'function': {**function, 'arguments': arguments}}
            changed = True
        calls.append(call)
        kept = results.get(old) or []
        content = kept.pop(0).get('content') if kept else UNKNOWN
        answers.append(result(call_id, content or NOTHING))
    if changed:
        message = {**message, 'tool_calls': calls}
    if not calls:
        message.pop('tool_calls')
        return [message] if message.get('content') else []
    return [message, *answers]


def said(completion: Completion) -> dict[str, Any]:
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
