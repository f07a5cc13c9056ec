"""Answers of MCP servers, brought into the form that the SDK takes.

The SDK refuses a whole list of tools for one that is wrong in it, and a result for a part that
the server left out. Here such answers are mended one by one, between the wire and the SDK.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soul.mind.providers.cleaning import clean_value

#: What a tool takes that does not say what it takes.
ANYTHING = {'type': 'object', 'properties': {}}


class MendedStream:
    """A stream of messages from a server; see the SDK's read streams.

    Parameters
    ----------
    trouble
        Hears what was wrong, in words.
    garbled
        Called when something came that is no message: whatever it answers stays unanswered.
    """

    def __init__(
        self, inner: Any, trouble: Callable[[str], None], garbled: Callable[[], None]
    ) -> None:
        self._inner = inner
        self._trouble = trouble
        self._garbled = garbled

    async def receive(self) -> Any:
        """Return the next message."""
        return self._mended(await self._inner.receive())

    def __aiter__(self) -> MendedStream:
        return self

    async def __anext__(self) -> Any:
        return self._mended(await self._inner.__anext__())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()

    async def __aenter__(self) -> MendedStream:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *how: Any) -> Any:
        return await self._inner.__aexit__(*how)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _mended(self, message: Any) -> Any:
        if isinstance(message, Exception):
            self._garbled()
            return message
        answer = getattr(message, 'message', None)
        result = getattr(answer, 'result', None)
        if answer is not None and isinstance(result, dict):
            answer.result = mended(result, self._trouble)
        return message


def mended(result: dict[str, Any], trouble: Callable[[str], None]) -> dict[str, Any]:
    """Return a server's result as the protocol has it; what cannot be mended is left out."""
    result = dict(clean_value(result))
    if isinstance(result.get('tools'), list):
        result['tools'] = [
            tool
            for number, one in enumerate(result['tools'])
            if (tool := _tool(one, number, trouble)) is not None
        ]
    if 'structuredContent' in result or 'isError' in result or 'content' in result:
        content = result.get('content')
        if isinstance(content, str):
            content = [{'type': 'text', 'text': content}]
        result['content'] = [p for p in content if isinstance(p, dict)] if content else []
    return result


def _tool(tool: Any, number: int, trouble: Callable[[str], None]) -> dict[str, Any] | None:
    if not isinstance(tool, dict) or not isinstance(tool.get('name'), str) or not tool['name']:
        trouble(f'tool {number} of its list has no name and is left out')
        return None
    tool = {
        key: tool[key] for key in ('name', 'title', 'description', 'inputSchema') if key in tool
    }
    for key in ('title', 'description'):
        if key in tool and not isinstance(tool[key], str):
            del tool[key]
    schema = tool.get('inputSchema')
    if not isinstance(schema, dict):
        if schema is not None:
            trouble(f'the schema of its tool {tool["name"][:80]!r} is none; it may take anything')
        schema = ANYTHING
    tool['inputSchema'] = {**schema, 'type': 'object'}
    wrong = _wrong(tool['inputSchema'])
    if wrong:
        trouble(
            f'the schema of its tool {tool["name"][:80]!r} is not used ({wrong}); it may take '
            'anything'
        )
        tool['inputSchema'] = ANYTHING
    return tool


def _wrong(schema: dict[str, Any]) -> str:
    """Say why the SDK would refuse a schema, and the whole list with it; empty: it does not."""
    properties, required = schema.get('properties', {}), schema.get('required', [])
    if not isinstance(properties, dict):
        return 'its properties are no object'
    if not all(isinstance(value, (dict, bool)) for value in properties.values()):
        return 'a property is no object'
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return 'what is required is no list of names'
    return ''
