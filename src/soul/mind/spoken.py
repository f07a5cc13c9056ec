"""Tool calls that a model has written as plain text.

Small models, and servers with a wrong chat template, write a call where they should make it.
Only a whole JSON object that names one of her tools counts; everything else stays a thought.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Collection, Iterator

from soul.mind.providers.base import Completion, ToolCall

#: Tags and fences around such calls; they are taken out with them.
_AROUND = re.compile(
    r'</?(?:tool_call|call|function_call|tool)>|\[/?TOOL_CALLS\]|```(?:json|tool_call)?', re.I
)
_NAMES = ('name', 'tool', 'function')
_ARGUMENTS = ('arguments', 'parameters', 'args', 'input')


def calls_in(completion: Completion, names: Collection[str], prefix: str) -> Completion:
    """Return the completion with the calls found in its text, if it has made none itself.

    Parameters
    ----------
    names
        The tools there are.
    prefix
        Begins the ids of the calls found.
    """
    if completion.calls or '{' not in completion.text:
        return completion
    calls: list[ToolCall] = []
    rest: list[str] = []
    position = 0
    for start, end, name, arguments in _objects(completion.text):
        if name not in names:
            continue
        calls.append(ToolCall(f'{prefix}-{len(calls)}', name, arguments))
        rest.append(completion.text[position:start])
        position = end
    if not calls:
        return completion
    rest.append(completion.text[position:])
    text = _AROUND.sub('', ''.join(rest)).strip(' \n\t,[]')
    return dataclasses.replace(completion, text=text, calls=tuple(calls))


def _objects(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Find JSON objects that look like calls: (start, end, name, arguments as JSON)."""
    decoder = json.JSONDecoder()
    position = text.find('{')
    while position >= 0:
        try:
            value, end = decoder.raw_decode(text, position)
        except ValueError:
            position = text.find('{', position + 1)
            continue
        call = _call(value)
        if call is not None:
            yield position, end, *call
        position = text.find('{', end)


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
