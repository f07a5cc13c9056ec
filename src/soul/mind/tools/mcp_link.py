"""One MCP server: connected when it is needed, found again when it was lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

import anyio
from pydantic import ValidationError

from soul.mind.tools.granted import Executed
from soul.mind.tools.mcp_file import McpServer
from soul.mind.tools.mcp_mending import MendedStream
from soul.signals import ActState

#: A server that has not answered within this is not there, s.
READY_SECONDS = 20.0
#: Longest time of a call, s. The guard's grant lasts a little longer.
CALL_SECONDS = 100.0
MOST_PAGES = 50
#: Largest answer over HTTP, bytes, and longest result, characters.
LARGEST = 16 << 20
LONGEST = 200_000


class McpConnection:
    """One server: connected when it is needed, found again when it was lost."""

    def __init__(self, name: str, server: McpServer, trouble: Callable[[str], None]) -> None:
        self.name = name
        self._server = server
        self._trouble = trouble
        self._session: Any = None
        self._task: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._calls: set[asyncio.Future[Any]] = set()  # in progress

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
            reading: Any = MendedStream(streams[0], self._wrong, self._garble)
            session = await stack.enter_async_context(ClientSession(reading, streams[1]))
            await session.initialize()
            self._session = session
            ready.set_result(None)
            await self._ended.wait()
        self._session = None

    def _wrong(self, what: str) -> None:
        self._trouble(f'the MCP server {self.name!r}: {what}')

    def _garble(self) -> None:
        """Let the calls in progress end: one of them will get no answer."""
        self._wrong('it sent something that is no message')
        for call in list(self._calls):
            call.cancel()

    def _transport(self) -> Any:
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamable_http_client

        server = self._server
        if server.command:
            return stdio_client(
                StdioServerParameters(command=server.command, args=server.args, env=server.env)
            )
        return streamable_http_client(server.url, http_client=_http(server))

    def _over(self, task: asyncio.Task[None], ready: asyncio.Future[None]) -> None:
        self._session = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._trouble(f'the MCP server {self.name!r} is lost: {_reason(error)}')
        if not ready.done():
            ready.set_exception(ConnectionError(_reason(error) if error else 'it ended'))

    async def tools(self) -> list[Any]:
        """Return all its tools, page after page.

        Raises
        ------
        ConnectionError, TimeoutError, OSError
            If they cannot be had, whatever the server has answered; says why.
        """
        try:
            return await self._tools()
        except failures() as error:
            raise ConnectionError(_reason(error)) from error

    async def _tools(self) -> list[Any]:
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

    async def call(self, tool: str, arguments: dict[str, Any]) -> Executed:
        """Call a tool; how it went is always known, or said to be in doubt."""
        done = await self._call(tool, arguments)
        if done is None:  # the server does not know the session: it did nothing
            self._forget()
            done = await self._call(tool, arguments)
        return done or Executed(f'{self.name} does not know this session.', ActState.FAILED)

    async def _call(self, tool: str, arguments: dict[str, Any]) -> Executed | None:
        from mcp import types

        try:
            session = await self.open()
        except failures() as error:
            return Executed(f'{self.name} cannot be reached: {_reason(error)}.', ActState.FAILED)
        # Not call_tool(): that checks the result against a schema of the server's, here.
        parameters = types.CallToolRequestParams(name=tool, arguments=arguments)
        request = types.CallToolRequest(params=parameters)
        calling = asyncio.ensure_future(session.send_request(request, types.CallToolResult))
        self._calls.add(calling)
        calling.add_done_callback(self._calls.discard)
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
            return Executed(words, ActState.UNCERTAIN)
        failure = calling.exception()
        if failure is not None and _unknown_session(failure):
            return None
        if failure is not None and _closed(failure):
            # The next call finds it again; this one may have reached it.
            self._forget()
            words = f'{self.name} was lost in mid-call; it may have happened.'
            return Executed(words, ActState.UNCERTAIN)
        if failure is not None:
            return Executed(f'{self.name}: {_reason(failure)}.', ActState.FAILED)
        return _done(calling.result())

    def _forget(self) -> None:
        self._session = None
        self._ended.set()
        self._task = None

    async def close(self) -> None:
        """Let the server go."""
        self._ended.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=3.0)
            self._task.cancel()


def _closed(error: BaseException) -> bool:
    from mcp.types import CONNECTION_CLOSED

    code = getattr(getattr(error, 'error', None), 'code', None)
    lost = (OSError, anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)
    return code == CONNECTION_CLOSED or isinstance(error, lost)


def _unknown_session(error: BaseException) -> bool:
    """Whether a server says that it was begun anew, or has let the session go."""
    said = str(error).lower()
    return 'session' in said and any(
        word in said for word in ('not found', 'terminated', 'expired', 'unknown', 'invalid')
    )


def failures() -> tuple[type[BaseException], ...]:
    """Return what the SDK raises when a server is not there or answers wrongly."""
    import httpx2
    from mcp.shared.exceptions import MCPError

    return (
        OSError,
        asyncio.TimeoutError,
        ValidationError,
        ValueError,
        MCPError,
        RuntimeError,
        httpx2.HTTPError,
        anyio.ClosedResourceError,
        anyio.BrokenResourceError,
        anyio.EndOfStream,
    )


def _page(cursor: str | None) -> dict[str, Any]:
    if not cursor:
        return {}
    from mcp import types

    return {'params': types.PaginatedRequestParams(cursor=cursor)}


def _http(server: McpServer) -> Any:
    """Return a client that unpacks nothing and reads no endless answer."""
    import os

    import httpx2

    from soul.mind.bounded import PLAIN
    from soul.proxies import client_options

    class Limited(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        async def __aiter__(self) -> Any:
            total = 0
            async for piece in self._inner:
                total += len(piece)
                if total > LARGEST:
                    raise httpx2.ReadError(f'more than {LARGEST} bytes')
                yield piece

        async def aclose(self) -> None:
            await self._inner.aclose()

    async def limit(response: Any) -> None:
        packed = response.headers.get('content-encoding', 'identity')
        if packed.strip().lower() not in ('', 'identity'):
            raise httpx2.ReadError(f'an answer packed as {packed[:40]!r} was not asked for')
        response.stream = Limited(response.stream)

    return httpx2.AsyncClient(
        headers={**server.headers, **PLAIN},
        # a server may hold a stream open for long
        timeout=httpx2.Timeout(30.0, read=300.0),
        event_hooks={'response': [limit]},
        **client_options(server.url, os.environ),
    )


def _reason(error: BaseException) -> str:
    inner = getattr(error, 'exceptions', None)  # a group of one
    return _reason(inner[0]) if inner else (str(error) or type(error).__name__)


def _done(answer: Any) -> Executed:
    parts = [_part(part) for part in getattr(answer, 'content', None) or ()]
    structured = getattr(answer, 'structured_content', None)
    if structured is not None and not any(parts):
        parts = [json.dumps(structured, ensure_ascii=False, default=str)]
    text = '\n'.join(part for part in parts if part)[:LONGEST] or '(nothing)'
    return Executed(text, ActState.FAILED if answer.is_error else ActState.DONE, seen=text[:2000])


def _part(part: Any) -> str:
    """Return what can be read of one part of a result."""
    kind = getattr(part, 'type', '')
    if kind == 'text':
        return str(part.text)
    resource = getattr(part, 'resource', None)
    text = getattr(resource, 'text', None)
    if isinstance(text, str):
        return f'{resource.uri}:\n{text}'  # type: ignore[union-attr]
    if kind == 'resource_link':
        return f'({part.name}: {part.uri})'
    return f'({kind or "something"} without words)'
