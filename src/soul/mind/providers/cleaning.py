"""What a completion may bring in, cleaned once when it arrives.

Models and servers send half characters, lists of parts where a text belongs, and their own
thinking between tags. Whatever of that stayed would be said to a person, or poison every later
request; sessions that already hold such things are cleaned by the same functions when they are
read.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from soul.mind.messages import AssistantMessage, Message, Reasoning, ToolCall, ToolResult
from soul.mind.providers.base import Completion

#: Names of the tags between which models write what they only think.
_THINKING = r'(?:think|thinking|thought|thoughts|reasoning|reflection|seed:think)'
_OPEN = re.compile(rf'<{_THINKING}\s*>|\[THINK\]', re.I)
_CLOSE = re.compile(rf'</{_THINKING}\s*>|\[/THINK\]', re.I)
#: Kinds of content parts that hold thinking.
_THOUGHT_PARTS = frozenset({'thinking', 'reasoning', 'thought'})
#: So deep may parts lie within parts.
_DEEPEST = 4


def clean_text(text: str) -> str:
    """Return a text that every encoder takes: whole characters, and no NUL.

    Two halves of one character that came apart are joined; a half alone becomes U+FFFD.
    """
    if text.isascii():
        return text.replace('\0', '')
    try:
        text.encode('utf-8')
    except UnicodeEncodeError:
        text = text.encode('utf-16-le', 'surrogatepass').decode('utf-16-le', 'replace')
    return text.replace('\0', '')


def clean_value(value: Any) -> Any:
    """Clean every text in a value made of JSON; what needs none stays the same object."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        cleaned = {clean_value(k): clean_value(v) for k, v in value.items()}
        return value if cleaned == value else cleaned
    if isinstance(value, (list, tuple)):
        items = [clean_value(item) for item in value]
        return value if items == list(value) else items
    return value


def clean_thought(thought: Reasoning) -> Reasoning:
    """Clean every text of a thought; one that needs none stays the same object."""
    text, sealed = clean_text(thought.text), clean_value(thought.sealed)
    if text == thought.text and sealed is thought.sealed:
        return thought
    return dataclasses.replace(thought, text=text, sealed=sealed)


def clean_message(message: Message) -> Message:
    """Clean every text of a message; one that needs none stays the same object."""
    text = clean_text(message.text)
    if text != message.text:
        message = dataclasses.replace(message, text=text)
    if isinstance(message, ToolResult):
        call_id, caption = clean_text(message.call_id), clean_text(message.caption)
        if (call_id, caption) != (message.call_id, message.caption):
            message = dataclasses.replace(message, call_id=call_id, caption=caption)
    elif isinstance(message, AssistantMessage) and (message.calls or message.thoughts):
        calls = tuple(clean_call(call) for call in message.calls)
        thoughts = tuple(clean_thought(thought) for thought in message.thoughts)
        if calls != tuple(message.calls) or thoughts != tuple(message.thoughts):
            message = dataclasses.replace(message, calls=calls, thoughts=thoughts)
    return message


def clean_call(call: ToolCall) -> ToolCall:
    """Clean the texts of a call."""
    return dataclasses.replace(
        call,
        id=clean_text(call.id),
        name=clean_text(call.name).strip(),
        arguments=clean_text(call.arguments),
    )


def text_of(content: Any, depth: int = 0) -> tuple[str, str]:
    """Read a message's content, which may be a text, a part or a list of parts.

    Returns
    -------
    tuple
        What is said, and what is only thought.
    """
    if isinstance(content, str):
        return content, ''
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence) or depth > _DEEPEST:
        return '', ''
    said: list[str] = []
    thought: list[str] = []
    for part in content:
        if isinstance(part, str):
            said.append(part)
            continue
        if not isinstance(part, Mapping):
            continue
        kind = part.get('type')
        inner = part.get('text')
        if inner is None and isinstance(kind, str):
            inner = part.get(kind)  # {'type': 'thinking', 'thinking': [...]}
        if inner is None:
            inner = part.get('content')
        words, more = text_of(inner, depth + 1)
        if kind in _THOUGHT_PARTS:
            thought += [words, more]
        else:
            said.append(words)
            thought.append(more)
    return ''.join(said), ''.join(thought)


def without_thinking(text: str) -> tuple[str, str]:
    """Part what is said from what stands between thinking tags.

    A closing tag whose opening one is missing (some templates put it into the prompt) ends a
    thought that began with the text; an opening one that is never closed begins a thought to
    the end.

    Returns
    -------
    tuple
        What is said, and what was only thought.
    """
    if '<' not in text and '[' not in text:
        return text, ''
    said: list[str] = []
    thought: list[str] = []
    position = 0
    first_close, first_open = _CLOSE.search(text), _OPEN.search(text)
    if first_close and (first_open is None or first_close.start() < first_open.start()):
        thought.append(text[: first_close.start()])
        position = first_close.end()
    while opening := _OPEN.search(text, position):
        said.append(text[position : opening.start()])
        closing = _CLOSE.search(text, opening.end())
        end = closing.start() if closing else len(text)
        thought.append(text[opening.end() : end])
        position = closing.end() if closing else len(text)
    said.append(text[position:])
    if not thought:
        return text, ''
    # a stray closing tag is no word of hers either
    kept = _CLOSE.sub('', ''.join(said)).strip()
    return kept, '\n'.join(piece.strip() for piece in thought if piece.strip())


def cleaned(completion: Completion) -> Completion:
    """Return a completion of which every text can be kept, sent back and said aloud."""
    text, thought = without_thinking(clean_text(completion.text))
    reasoning = '\n'.join(t for t in (clean_text(completion.reasoning), thought) if t)
    return dataclasses.replace(
        completion,
        text=text,
        reasoning=reasoning,
        calls=tuple(clean_call(call) for call in completion.calls),
        thoughts=tuple(clean_thought(thought) for thought in completion.thoughts),
    )
