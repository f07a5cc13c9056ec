"""Arguments that are almost JSON, mended where there is nothing to guess.

Models miss a bracket, write Python for JSON, or wrap an object once more. What comes of mending
counts only if the tool's own schema takes it, and never if it says nothing: bad JSON is no reason
to run a tool without arguments. A text that is not closed is not closed here either: nobody knows
how it would have gone on.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from soul.mind.messages import ToolCall
from soul.mind.tools.base import Tool, parse
from soul.mind.transcript import loads

#: Longer arguments are not mended, characters.
LONGEST = 100_000
#: ... and not read as Python.
LONGEST_PYTHON = 20_000
_FENCE = re.compile(r'\s*```\w*\s*(.*?)\s*```\s*', re.S)
_CLOSES = {'{': '}', '[': ']'}
_NAMES = {'\n': '\\n', '\r': '\\r', '\t': '\\t'}


async def mended(call: ToolCall, tool: Tool[Any] | None) -> ToolCall:
    """Return a call with arguments that its tool takes; if there is no way to them, as it was."""
    if tool is None or call.cut or len(call.arguments) > LONGEST or not _broken(call.arguments):
        return call
    if tool.parameters is not None and tool.check is None:
        return call  # no schema that could tell right from wrong
    for value in candidates(call.arguments):
        if value and await _takes(tool, value):
            return dataclasses.replace(call, arguments=json.dumps(value, ensure_ascii=False))
    return call


def _broken(arguments: str) -> bool:
    try:
        parse(arguments)
    except ValueError:
        return True
    return False


async def _takes(tool: Tool[Any], value: dict[str, Any]) -> bool:
    try:
        if tool.check is not None and await tool.check(value):
            return False
        tool.arguments.model_validate(value)
    except (ValidationError, ValueError):
        return False
    return True


def candidates(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that a text may be meant to be, the surest first."""
    found = _FENCE.fullmatch(text)
    text = found[1] if found else text
    for reading in (_read, _inner, _one_of_several, _closed, _python):
        try:
            value = reading(text)
        except (ValueError, RecursionError, SyntaxError, MemoryError):
            continue
        if isinstance(value, dict):
            yield value


def _read(text: str) -> Any:
    return loads(text)


def _inner(text: str) -> Any:
    """Read a text within which the object stands once more as a text."""
    value = loads(text)
    return loads(value) if isinstance(value, str) else None


def _one_of_several(text: str) -> Any:
    """Read objects behind each other of which but one says something, or all say the same."""
    decoder = json.JSONDecoder()
    values: list[Any] = []
    position = 0
    while position < len(text):
        value, position = decoder.raw_decode(text, position)
        values += [value] if value and value not in values else []
        while position < len(text) and text[position].isspace():
            position += 1
    return loads(json.dumps(values[0])) if len(values) == 1 else None


def _closed(text: str) -> Any:
    """Read a text whose brackets are wrong or missing, with commas too many and bare line ends."""
    opened: list[str] = []
    out: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character == '"':
            position = _copy_string(text, position, out)
            continue
        if character in '{[':
            opened.append(character)
            out.append(character)
        elif character in '}]':
            if opened:  # one too many closes nothing
                _drop_comma(out)
                out.append(_CLOSES[opened.pop()])
        else:
            out.append(character)
        position += 1
    while opened:
        _drop_comma(out)
        out.append(_CLOSES[opened.pop()])
    return loads(''.join(out))


def _copy_string(text: str, position: int, out: list[str]) -> int:
    """Copy a string from its quote on; returns the position behind it.

    Raises
    ------
    ValueError
        If it does not end.
    """
    out.append('"')
    position += 1
    while position < len(text):
        character = text[position]
        if character == '\\':
            out.append(text[position : position + 2])
            position += 2
            continue
        out.append(_NAMES.get(character, character))
        position += 1
        if character == '"':
            return position
    raise ValueError('a text that does not end')


def _drop_comma(out: list[str]) -> None:
    while out and (out[-1].isspace() or out[-1] == ','):
        out.pop()


def _python(text: str) -> Any:
    """Read what Python would write: single quotes, True, None."""
    if len(text) > LONGEST_PYTHON:
        return None
    value = ast.literal_eval(text.strip())
    return loads(json.dumps(value, allow_nan=False)) if isinstance(value, dict) else None
