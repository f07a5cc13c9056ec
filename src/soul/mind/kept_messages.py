"""How a message is kept in a journal, and read from one.

On the disk a message is an object in the form of OpenAI's chat completions, which people and
their tools can read, as it has always been; its one addition is `thoughts`: reasoning with what
its server wants back. Journals of before have `reasoning_content` and, without a word of whom they
came from, `reasoning_details` and `thinking_blocks`; they are read as thoughts of a chat server.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any

from soul.mind.messages import (
    AssistantMessage,
    Message,
    Origin,
    Reasoning,
    ShownPicture,
    ToolCall,
    ToolResult,
    UserMessage,
)
from soul.mind.providers.cleaning import clean_value
from soul.mind.transcript import valid_arguments

#: Under which names journals of before hold sealed reasoning.
SEALED_BEFORE = ('reasoning_details', 'thinking_blocks')
_PICTURE = re.compile(r'data:image/(jpeg|jpg|png|gif|webp);base64,')


def to_plain(message: Message) -> dict[str, Any]:
    """Return a message as it is kept."""
    plain: dict[str, Any] = {'role': message.role, 'content': message.text}
    if isinstance(message, ToolResult):
        plain['tool_call_id'] = message.call_id
    elif isinstance(message, AssistantMessage):
        if message.calls:
            plain['tool_calls'] = [
                {
                    'id': call.id,
                    'type': 'function',
                    'function': {'name': call.name, 'arguments': call.arguments},
                }
                for call in message.calls
            ]
        if message.thoughts:
            plain['thoughts'] = [_kept(thought) for thought in message.thoughts]
    if isinstance(message, (UserMessage, ToolResult)) and message.pictures:
        plain['content'] = [
            {'type': 'text', 'text': message.text},
            *({'type': 'image_url', 'image_url': {'url': url_of(p)}} for p in message.pictures),
        ]
    return plain


def url_of(picture: ShownPicture) -> str:
    """Return a picture as a data URL."""
    return f'data:image/{picture.kind};base64,{picture.data}'


def _kept(thought: Reasoning) -> dict[str, Any]:
    origin = thought.origin
    kept: dict[str, Any] = {'of': [origin.protocol, origin.provider, origin.model]}
    if thought.text:
        kept['text'] = thought.text
    if thought.sealed:
        kept['sealed'] = dict(thought.sealed)
    if thought.before:
        kept['before'] = thought.before
    return kept


def from_plain(kept: Any) -> Message:
    """Read a message that was kept.

    Texts are cleaned; calls without an id or a name get one that says so, or go.

    Raises
    ------
    ValueError
        Saying why it is none.
    """
    if not isinstance(kept, Mapping):
        raise ValueError('it is no object')
    plain: Mapping[str, Any] = clean_value(kept)
    role, content = plain.get('role'), plain.get('content')
    if role not in ('user', 'assistant', 'tool'):
        raise ValueError(f'its role is {role!r}')
    if content is not None and not isinstance(content, (str, list)):
        raise ValueError(f'its content is {type(content).__name__}')
    text = content if isinstance(content, str) else '\n\n'.join(_texts(content or ()))
    pictures = tuple(_pictures(content)) if isinstance(content, list) else ()
    if role == 'tool':
        if not isinstance(plain.get('tool_call_id'), str):
            raise ValueError('it is the result of no call')
        return ToolResult(plain['tool_call_id'], text, pictures)
    if role == 'user':
        if not text and not pictures:
            raise ValueError('it says nothing')
        return UserMessage(text, pictures)
    calls = plain.get('tool_calls') or []
    if not isinstance(calls, list):
        raise ValueError('its calls are no list')
    readable = tuple(call for call in map(_call, calls) if call is not None)
    if not text and not readable:
        raise ValueError('it says nothing')
    return AssistantMessage(text, readable, tuple(_thoughts(plain)))


def _texts(parts: Iterable[Any]) -> Iterable[str]:
    for part in parts:
        text = part.get('text') if isinstance(part, Mapping) else None
        if isinstance(text, str) and text:
            yield text


def _pictures(parts: Iterable[Any]) -> Iterable[ShownPicture]:
    for part in parts:
        holder = part.get('image_url') if isinstance(part, Mapping) else None
        url = holder.get('url') if isinstance(holder, Mapping) else None
        found = _PICTURE.match(url) if isinstance(url, str) else None
        if found is None or not isinstance(url, str):
            continue
        data = url[found.end() :]
        try:
            base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            continue
        yield ShownPicture(found[1].replace('jpg', 'jpeg'), data)


def _call(call: Any) -> ToolCall | None:
    function = call.get('function') if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get('name'), str):
        return None
    arguments = valid_arguments(function.get('arguments') or '')
    return ToolCall(str(call.get('id') or ''), function['name'], arguments)


def _thoughts(plain: Mapping[str, Any]) -> Iterable[Reasoning]:
    kept = plain.get('thoughts')
    for one in kept if isinstance(kept, list) else ():
        if isinstance(one, Mapping):
            yield _thought(one)
    reasoning = plain.get('reasoning_content')
    if isinstance(reasoning, str) and reasoning:
        yield Reasoning(reasoning, origin=Origin('chat'))
    for name in SEALED_BEFORE:
        if isinstance(plain.get(name), list) and plain[name]:
            yield Reasoning(sealed={name: plain[name]}, origin=Origin('chat'))


def _thought(one: Mapping[str, Any]) -> Reasoning:
    text, sealed, before = one.get('text'), one.get('sealed'), one.get('before')
    of = one.get('of')
    whose = [name if isinstance(name, str) else '' for name in of] if isinstance(of, list) else []
    return Reasoning(
        text if isinstance(text, str) else '',
        sealed if isinstance(sealed, Mapping) else {},
        Origin(*whose) if len(whose) == 3 else Origin(),
        before if isinstance(before, int) and not isinstance(before, bool) else 0,
    )
