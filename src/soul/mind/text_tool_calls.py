"""Tool calls that a model has written as plain text.

Small models, and servers with a wrong chat template, write a call where they should make it.
Such a text counts only if it is calls and nothing else: a model that thinks aloud about a call,
or quotes one, does not make it. And what somebody else wrote, in a message or on a page, is not
hers because she repeats it.
"""

from __future__ import annotations

import dataclasses
import html
import json
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from soul.mind.providers.base import Completion, ToolCall

#: Tags and fences around such calls; they are no words of hers.
_AROUND = re.compile(
    r'</?(?:tool_calls?|call|function_calls?|tool)>|\[/?TOOL_CALLS\]|```(?:json|tool_call|xml)?'
    r'|<\|/?(?:tool_call|python_tag|eom_id|eot_id)(?:_begin|_end)?\|>',
    re.I,
)
#: What may stand between calls and around them.
_NOTHING = ' \r\n\t,;[]'
_NAMES = ('name', 'tool', 'function')
_ARGUMENTS = ('arguments', 'parameters', 'args', 'input')
_CALL = re.compile(r'<function=([\w.-]{1,64})>')
_VALUE = re.compile(r'<parameter=([\w.-]{1,64})>')
#: What a call looks like from afar, in any of its forms.
_LIKE_A_CALL = re.compile(
    r'function\s*=|tool_?calls?\b|["\'](?:name|tool|function|arguments|parameters|args)["\']\s*[:=]'
)
_ESCAPE = re.compile(r'\\u([0-9a-fA-F]{4})')
#: So many letters of an argument in a row are no accident.
LONG_VALUE = 12
#: Longer texts are no calls, characters.
LONGEST = 100_000


@dataclasses.dataclass(frozen=True)
class Spoken:
    """A call found in a text: where, and what it says; `arguments` is JSON or what was there."""

    start: int
    end: int
    name: str
    arguments: str


def calls_in(
    completion: Completion,
    names: Collection[str],
    prefix: str,
    outside: Iterable[str] = (),
) -> Completion:
    """Return the completion with the calls that its text is, if it has made none itself.

    Parameters
    ----------
    names
        The tools there are.
    prefix
        Begins the ids of the calls found.
    outside
        What came from outside in this conversation; a call that may stand there is not hers.
        Looked at only if there is something to compare.
    """
    text = completion.text
    if completion.calls or not ('{' in text or '<function=' in text) or len(text) > LONGEST:
        return completion
    found = list(spoken(text))
    if not found or any(call.name not in names for call in found):
        return completion
    if _AROUND.sub('', _rest(text, found)).strip(_NOTHING):
        return completion
    theirs = [_bare(said) for said in outside]
    if any(_stands_in(call, said) for call in found for said in theirs):
        return completion
    calls = tuple(
        ToolCall(f'{prefix}-{number}', call.name, call.arguments)
        for number, call in enumerate(found)
    )
    return dataclasses.replace(completion, text='', calls=calls)


def _bare(text: str) -> str:
    """Return a text without the ways in which a call can be hidden in it: escapes and capitals."""
    text = html.unescape(html.unescape(text))
    for _ in range(2):  # a call may be quoted as a text within JSON
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text).replace('\\', '')
    return text.casefold()


def _stands_in(call: Spoken, outside: str) -> bool:
    """Whether a call may have been taken from a text, however it is written there.

    It errs on the side of caution: the name of the tool beside anything that looks like a call,
    or beside a longer piece of the arguments, is enough. Nothing is read as JSON, so that nothing
    odd around a call can hide it.
    """
    if call.name.casefold() not in outside:
        return False
    if _LIKE_A_CALL.search(outside):
        return True
    squeezed = _letters(outside)
    values = (_letters(_bare(value)) for value in _texts(call.arguments))
    return any(len(value) >= LONG_VALUE and value in squeezed for value in values)


def _letters(text: str) -> str:
    return ''.join(character for character in text if character.isalnum())


def _texts(arguments: str) -> Iterator[str]:
    """Yield the texts within the arguments of a call."""
    try:
        waiting = [json.loads(arguments)]
    except (ValueError, RecursionError):
        yield arguments
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _rest(text: str, found: Iterable[Spoken]) -> str:
    pieces, position = [], 0
    for call in found:
        pieces.append(text[position : call.start])
        position = call.end
    return ''.join((*pieces, text[position:]))


def spoken(text: str) -> Iterator[Spoken]:
    """Find what looks like a call in a text, in its order."""
    if '<function=' in text:
        for start, end, name, inside in _elements(text, _CALL, '</function>'):
            values = {
                key: _value(value)
                for _, _, key, value in _elements(inside, _VALUE, '</parameter>')
            }
            yield Spoken(start, end, name, json.dumps(values, ensure_ascii=False))
        return
    decoder = json.JSONDecoder()
    position, tries = text.find('{'), 0
    while position >= 0 and tries < 200:  # braces that open nothing are no calls
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            tries += 1
            position = text.find('{', position + 1)
            continue
        call = _call(value)
        if call is not None:
            yield Spoken(position, end, *call)
        position = text.find('{', end)


def _elements(
    text: str, opening: re.Pattern[str], closing: str
) -> Iterator[tuple[int, int, str, str]]:
    """Yield (start, end, name, content) of elements that do not lie in each other."""
    position = 0
    while (found := opening.search(text, position)) is not None:
        end = text.find(closing, found.end())
        if end < 0:
            return
        position = end + len(closing)
        yield found.start(), position, found[1], text[found.end() : end].strip('\n')


def _value(text: str) -> Any:
    """Read a value of the XML form: JSON if it is something else than a text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def _call(value: object) -> tuple[str, str] | None:
    if not isinstance(value, dict):
        return None
    inner = value.get('function')
    if isinstance(inner, dict):
        value = inner
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    arguments: object = next((value[key] for key in _ARGUMENTS if key in value), {})
    if name is None or not isinstance(arguments, (dict, str)):
        return None
    if isinstance(arguments, str):
        return name, arguments
    return name, json.dumps(arguments, ensure_ascii=False)
