"""Lists the tools of a simulated device and checks what they are called with, as firmwares do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: A list of tools is told in pages of about so many bytes; a real one has 8000.
PAGE = 1200

Properties = Mapping[str, Mapping[str, Any]]

_TYPES: Mapping[str, type | tuple[type, ...]] = {'integer': int, 'string': str, 'boolean': bool}


class ToolError(Exception):
    """A tool fails; the text goes to the host."""


def number(low: int, high: int, **more: Any) -> Mapping[str, Any]:
    """Return the schema of a whole number."""
    return {'type': 'integer', 'minimum': low, 'maximum': high, **more}


def page(tools: Mapping[str, Properties], cursor: str) -> dict[str, Any]:
    """Return a page of the list, from the tool `cursor` on."""
    names = list(tools)
    begin = names.index(cursor) if cursor in names else 0
    told: list[Mapping[str, Any]] = []
    for name in names[begin:]:
        tool = {
            'name': name,
            'description': name,
            'inputSchema': {'type': 'object', 'properties': tools[name]},
        }
        if told and len(json.dumps([*told, tool])) > PAGE:
            return {'tools': told, 'nextCursor': name}
        told.append(tool)
    return {'tools': told}


def arguments(properties: Properties, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a tool is called with: of the wrong type is as if it were not given.

    Raises
    ------
    ToolError
        If one without a default is missing, or a number is out of its range.
    """
    found: dict[str, Any] = {}
    for name, schema in properties.items():
        value, kind = given.get(name), schema.get('type', '')
        sound = isinstance(value, _TYPES.get(kind, object))
        if kind == 'integer' and isinstance(value, bool):
            sound = False
        if not sound:
            if 'default' not in schema:
                raise ToolError(f'Missing valid argument: {name}')
            value = schema['default']
        elif kind == 'integer' and value != schema.get('default'):
            low, high = schema.get('minimum', value), schema.get('maximum', value)
            if not low <= value <= high:
                raise ToolError(f'Value is out of range: {name} {value}')
        found[name] = value
    return found
