"""Every tool of the MCP servers that a file names."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from soul.core.backoff import Backoff
from soul.mind.confined import Confined, WorkFailed
from soul.mind.tools.base import Free, Result, Tool, ToolContext
from soul.mind.tools.granted import granted
from soul.mind.tools.mcp_file import McpServer
from soul.mind.tools.mcp_link import READY_SECONDS, McpConnection
from soul.mind.tools.mcp_mending import ANYTHING

CATEGORY = 'mcp'
#: Names of tools that models take.
NAME = re.compile(r'[^a-zA-Z0-9_-]')
LONGEST_NAME = 64
#: Tools of all servers together: each is in every request, and some providers take 128 in all.
MOST_TOOLS = 96
#: Longest schema of a tool, characters of JSON.
LONGEST_SCHEMA = 20_000
#: A server that was not there is looked for again after this, doubling up to that, s.
AGAIN, LONGEST_AGAIN = 10.0, 600.0
#: A check of arguments takes at most this long, s, and that of all schemas at the start this.
CHECK_SECONDS = 3.0
SCHEMAS_SECONDS = 10.0
#: The start waits at most so long for the tools of all servers, s.
START_SECONDS = READY_SECONDS + SCHEMAS_SECONDS + 5.0


class McpServers:
    """All servers of a file.

    Parameters
    ----------
    trouble
        Hears what is wrong with a server, in words that name it.
    """

    def __init__(self, servers: Mapping[str, McpServer], trouble: Callable[[str], None]) -> None:
        self._trouble = trouble
        self._connections = [McpConnection(n, s, trouble) for n, s in servers.items()]
        self._missing: list[McpConnection] = []
        self._looking: asyncio.Task[None] | None = None
        self._confined = Confined(CHECK_SECONDS, ('jsonschema', 'referencing'))
        self._room = MOST_TOOLS
        self._patience = SCHEMAS_SECONDS

    async def tools(self) -> list[Tool[Any]]:
        """Return the tools of all servers, in a fixed order; one that is silent is told of."""
        found = await asyncio.gather(*(self._of(c) for c in self._connections))
        return [tool for tools in found for tool in await self._limited(tools)]

    def look_for_missing(self, found: Callable[[Sequence[Tool[Any]]], None]) -> None:
        """Go on looking for servers that were not there; call on the event loop.

        Parameters
        ----------
        found
            Called with the tools of a server that has come.
        """
        if self._missing and self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._look(found))

    async def _look(self, found: Callable[[Sequence[Tool[Any]]], None]) -> None:
        backoff = Backoff(AGAIN, LONGEST_AGAIN)
        while self._missing:
            await asyncio.sleep(backoff.next())
            for connection in list(self._missing):
                tools = await self._of(connection, again=True)
                if connection not in self._missing:
                    found(await self._limited(tools))

    async def _of(self, connection: McpConnection, again: bool = False) -> list[Any]:
        try:
            described = await asyncio.wait_for(connection.tools(), READY_SECONDS)
        except (OSError, asyncio.TimeoutError) as error:
            if not again:
                why = str(error) or 'it did not answer in time'
                self._trouble(
                    f'the MCP server {connection.name!r} has no tools: {why}; it is looked for '
                    'again'
                )
                self._missing.append(connection)
            return []
        if again:
            self._missing.remove(connection)
        described.sort(key=lambda one: one.name)
        return [(connection, one) for one in described]

    async def _limited(self, described: Sequence[tuple[McpConnection, Any]]) -> list[Tool[Any]]:
        """Return as many tools as there is room for, each with a schema that can be used."""
        taken = described[: self._room]
        if len(taken) < len(described):
            self._trouble(
                f'the MCP server {described[0][0].name!r} has {len(described)} tools; '
                f'{len(described) - len(taken)} of them are left out, for there may be '
                f'{MOST_TOOLS} of all servers'
            )
        self._room -= len(taken)
        return [await self._tool(connection, one) for connection, one in taken]

    async def close(self) -> None:
        """Let all servers go."""
        if self._looking is not None:
            self._looking.cancel()
        await asyncio.gather(*(connection.close() for connection in self._connections))
        await self._confined.close()

    async def _tool(self, connection: McpConnection, described: Any) -> Tool[Any]:
        parameters = dict(described.input_schema or ANYTHING)
        wrong = await self._problem(parameters)
        if wrong:
            self._trouble(
                f'the MCP server {connection.name!r}: the schema of its tool '
                f'{described.name[:80]!r} is not used ({wrong}); it may take anything'
            )
            parameters = dict(ANYTHING)
        name = NAME.sub('_', f'{connection.name}__{described.name}')[:LONGEST_NAME]
        category = f'{CATEGORY}.{connection.name}'

        async def run(given: Free, context: ToolContext) -> Result:
            arguments = given.model_dump()
            summary = f'{described.name} {json.dumps(arguments, ensure_ascii=False)}'[:500]
            return await granted(
                context,
                name,
                category,
                summary,
                lambda: connection.call(described.name, arguments),
            )

        return Tool(
            name,
            (described.description or described.name)[:1000],
            Free,
            run,
            routine=False,
            category=category,
            parameters=parameters,
            check=None if wrong else self._checker(parameters),
            origin='tool',
        )

    async def _problem(self, schema: Mapping[str, Any]) -> str:
        """Say why a schema can be sent to no model and checked by nobody; empty: it can."""
        length = len(json.dumps(schema))
        if length > LONGEST_SCHEMA:
            return f'it has {length} characters'
        if self._patience <= 0.0:
            return 'checking the others took too long'
        begun = time.monotonic()
        try:
            return str(await self._confined.run('schema_problem', schema=schema))
        except WorkFailed as why:
            return str(why)
        finally:
            self._patience -= time.monotonic() - begun

    def _checker(self, schema: Mapping[str, Any]) -> Callable[[dict[str, Any]], Awaitable[str]]:
        async def check(arguments: dict[str, Any]) -> str:
            try:
                return str(await self._confined.run('check', schema=schema, arguments=arguments))
            except WorkFailed as why:
                return f'its arguments could not be checked: {why}'

        return check
