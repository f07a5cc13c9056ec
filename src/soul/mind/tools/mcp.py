"""Every tool of the MCP servers that a file names."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from soul.mind.tools.base import Free, Hands, Result, Tool
from soul.mind.tools.granted import granted
from soul.mind.tools.mcp_file import Server
from soul.mind.tools.mcp_link import READY_SECONDS, Connection

CATEGORY = 'mcp'
#: Names of tools that models take.
NAME = re.compile(r'[^a-zA-Z0-9_-]')
LONGEST_NAME = 64


class Servers:
    """All servers of a file."""

    def __init__(self, servers: Mapping[str, Server], trouble: Callable[[str], None]) -> None:
        self._trouble = trouble
        self._connections = [Connection(n, s, trouble) for n, s in servers.items()]

    async def tools(self) -> list[Tool[Any]]:
        """Return the tools of all servers, in a fixed order; one that is silent is told of."""
        found = await asyncio.gather(*(self._of(c) for c in self._connections))
        return [tool for tools in found for tool in tools]

    async def _of(self, connection: Connection) -> list[Tool[Any]]:
        try:
            described = await asyncio.wait_for(connection.tools(), READY_SECONDS)
        except (OSError, asyncio.TimeoutError) as error:
            why = str(error) or 'it did not answer in time'
            self._trouble(f'the MCP server {connection.name!r} has no tools: {why}')
            return []
        return [_tool(connection, one) for one in sorted(described, key=lambda one: one.name)]

    async def close(self) -> None:
        """Let all servers go."""
        await asyncio.gather(*(connection.close() for connection in self._connections))


def _tool(connection: Connection, described: Any) -> Tool[Any]:
    parameters = dict(described.input_schema or {'type': 'object', 'properties': {}})
    name = NAME.sub('_', f'{connection.name}__{described.name}')[:LONGEST_NAME]
    category = f'{CATEGORY}.{connection.name}'

    async def run(given: Free, hands: Hands) -> Result:
        arguments = given.model_dump()
        summary = f'{described.name} {json.dumps(arguments, ensure_ascii=False)}'[:500]
        return await granted(
            hands, name, category, summary, lambda: connection.call(described.name, arguments)
        )

    return Tool(
        name,
        (described.description or described.name)[:1000],
        Free,
        run,
        routine=False,
        category=category,
        parameters=parameters,
        check=_checker(parameters),
        origin='tool',
    )


def _checker(schema: Mapping[str, Any]) -> Callable[[dict[str, Any]], str]:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(schema)

    def check(arguments: dict[str, Any]) -> str:
        error = next(iter(validator.iter_errors(arguments)), None)
        if error is None:
            return ''
        place = '.'.join(str(part) for part in error.absolute_path)
        return f'{place}: {error.message}' if place else error.message

    return check
