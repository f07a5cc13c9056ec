"""One MCP server: connected when it is needed, found again when it was lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from soul.mind.tools.granted import Done
from soul.mind.tools.mcp_file import Server
from soul.signals import ActState

#: A server that has not answered within this is not there, s.
READY_SECONDS = 20.0
#: Longest time of a call, s. The guard's grant lasts a little longer.
CALL_SECONDS = 100.0
MOST_PAGES = 50


class Connection:
    """One server: connected when it is needed, found again when it was lost."""

    def __init__(self, name: str, server: Server, trouble: Callable[[str], None]) -> None:
        self.name = name
        self._server = server
        self._trouble = trouble
        self._session: Any = None
        self._task: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()

    async def open(self) -> Any:
        """Return the session with the server.

        Raises
        ------
        TimeoutError, OSError
            If it cannot be reached.
        """
        if self._session is None:
            if self._task is None or self._task.done():
                ready = asyncio.get_running_loop().create_future()
                self._ended = asyncio.Event()
                # Entered and left in one task, as the SDK wants it.
                self._task = asyncio.ensure_future(self._live(ready))
                self._task.add_done_callback(lambda task: self._over(task, ready))
                await asyncio.wait_for(asyncio.shield(ready), READY_SECONDS)
            if self._session is None:
                raise ConnectionError(f'{self.name} is not ready yet')
        return self._session

    async def _live(self, ready: asyncio.Future[None]) -> None:
        from mcp import ClientSession

        async with contextlib.AsyncExitStack() as stack:
            streams = await stack.enter_async_context(self._transport())
            session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
            await session.initialize()
            self._session = session
            ready.set_result(None)
            await self._ended.wait()
        self._session = None

    def _transport(self) -> Any:
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamable_http_client

        server = self._server
        if server.command:
            return stdio_client(
                StdioServerParameters(command=server.command, args=server.args, env=server.env)
            )
        return streamable_http_client(server.url, **_http(server.headers))

    def _over(self, task: asyncio.Task[None], ready: asyncio.Future[None]) -> None:
        self._session = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._trouble(f'the MCP server {self.name!r} is lost: {_reason(error)}')
        if not ready.done():
            ready.set_exception(ConnectionError(_reason(error) if error else 'it ended'))

    async def tools(self) -> list[Any]:
        """Return all its tools, page after page."""
        session = await self.open()
        found: list[Any] = []
        cursor = None
        for _ in range(MOST_PAGES):
            page = await session.list_tools(**_page(cursor))
            found += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return found

    async def call(self, tool: str, arguments: dict[str, Any]) -> Done:
        """Call a tool; how it went is always known, or said to be in doubt."""
        try:
            session = await self.open()
        except (OSError, asyncio.TimeoutError) as error:
            return Done(f'{self.name} cannot be reached: {error}.', ActState.FAILED)
        calling = asyncio.ensure_future(session.call_tool(tool, arguments))
        lost = asyncio.ensure_future(asyncio.shield(self._task)) if self._task else calling
        try:
            await asyncio.wait(
                {calling, lost}, timeout=CALL_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            if not calling.done():
                calling.cancel()
            if lost is not calling:
                lost.cancel()
        if not calling.done() or calling.cancelled():
            words = f'{self.name} gave no answer; it may have happened.'
            return Done(words, ActState.UNCERTAIN)
        failure = calling.exception()
        if failure is not None and _closed(failure):
            # The next call finds it again; this one may have reached it.
            self._session = None
            self._ended.set()
            self._task = None
            words = f'{self.name} was lost in mid-call; it may have happened.'
            return Done(words, ActState.UNCERTAIN)
        if failure is not None:
            return Done(f'{self.name}: {_reason(failure)}.', ActState.FAILED)
        return _done(calling.result())

    async def close(self) -> None:
        """Let the server go."""
        self._ended.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=3.0)
            self._task.cancel()


def _closed(error: BaseException) -> bool:
    from mcp.types import CONNECTION_CLOSED

    code = getattr(getattr(error, 'error', None), 'code', None)
    return code == CONNECTION_CLOSED or isinstance(error, OSError)


def _page(cursor: str | None) -> dict[str, Any]:
    if not cursor:
        return {}
    from mcp import types

    return {'params': types.PaginatedRequestParams(cursor=cursor)}


def _http(headers: Mapping[str, str]) -> dict[str, Any]:
    if not headers:
        return {}
    from mcp.client.streamable_http import create_mcp_http_client

    return {'http_client': create_mcp_http_client(headers=dict(headers))}


def _reason(error: BaseException) -> str:
    inner = getattr(error, 'exceptions', None)  # a group of one
    return _reason(inner[0]) if inner else (str(error) or type(error).__name__)


def _done(answer: Any) -> Done:
    parts = []
    for part in getattr(answer, 'content', None) or ():
        kind = getattr(part, 'type', '')
        parts.append(part.text if kind == 'text' else f'({kind or "something"} without words)')
    text = '\n'.join(parts) or '(nothing)'
    return Done(text, ActState.FAILED if answer.is_error else ActState.DONE, seen=text[:2000])
