"""The tools of a device: MCP 2024-11-05 inside its messages, with us as the client.

Calls are answered or time out, and are never repeated: a move that timed out may have been made.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

_CALL_SECONDS = 5.0
_TAKEN_SECONDS = 3.0
_MOST_PAGES = 100  # of the list of tools
_VERSION = '2024-11-05'


class ToolFailed(Exception):
    """The device answered that a tool failed, or did not answer."""

    def __init__(self, why: str, answered: bool = True) -> None:
        super().__init__(why)
        self.answered = answered


class ToolClient:
    """Finds out what tools there are, and calls them.

    Parameters
    ----------
    send
        Sends a payload to the device; raises OSError if it is gone.

    Attributes
    ----------
    tools
        What it has, by name.
    spoken
        Whether the device speaks MCP at all.
    """

    def __init__(self, send: Callable[[Mapping[str, Any]], Awaitable[None]]) -> None:
        self.tools: dict[str, Mapping[str, Any]] = {}
        self.spoken = False
        self._send = send
        self._count = 0
        self._waiting: dict[int, asyncio.Future[Mapping[str, Any]]] = {}

    async def discover(self, vision: Mapping[str, str]) -> None:
        """Say who we are and ask for all tools.

        Parameters
        ----------
        vision
            Address and token for its photos.

        Raises
        ------
        OSError
            If the device is gone.
        """
        self.spoken = True
        client = {
            'protocolVersion': _VERSION,
            'capabilities': {'vision': dict(vision)},
            'clientInfo': {'name': 'soul', 'version': '1'},
        }
        with contextlib.suppress(ToolFailed):  # then it has none
            await self.request('initialize', client, _CALL_SECONDS)
            await self._send({'jsonrpc': '2.0', 'method': 'notifications/initialized'})
            cursor = ''
            seen: set[str] = set()
            while len(seen) < _MOST_PAGES and cursor not in seen:
                seen.add(cursor)
                page = await self.request('tools/list', {'cursor': cursor}, _CALL_SECONDS)
                tools = page.get('tools')
                for tool in tools if isinstance(tools, list) else ():
                    if isinstance(tool, dict) and isinstance(tool.get('name'), str):
                        self.tools[tool['name']] = tool
                cursor = str(page.get('nextCursor') or '')
                if not cursor:
                    break

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        seconds: float = _CALL_SECONDS,
    ) -> str:
        """Call a tool; returns the text of its answer.

        Raises
        ------
        ToolFailed
            If it failed or did not answer in time.
        OSError
            If the device is gone.
        """
        params = {'name': tool, 'arguments': dict(arguments or {})}
        result = await self.request('tools/call', params, seconds)
        content = result.get('content')
        first = content[0] if isinstance(content, list) and content else {}
        text = str(first.get('text', '')) if isinstance(first, dict) else ''
        if result.get('isError'):
            raise ToolFailed(text or tool)
        return text

    async def has_taken(self, witness: str) -> bool:
        """Whether the firmware has taken everything that was sent before.

        It works through what it is sent in order: the answer to a question shows it.

        Parameters
        ----------
        witness
            A tool that changes nothing; empty: the list of tools is asked for.

        Raises
        ------
        OSError
            If the device is gone.
        """
        if not self.spoken:
            return False
        try:
            if witness:
                await self.call(witness, seconds=_TAKEN_SECONDS)
            else:
                await self.request('tools/list', {'cursor': ''}, _TAKEN_SECONDS)
        except ToolFailed as error:
            return error.answered
        return True

    async def request(
        self, method: str, params: Mapping[str, Any], seconds: float
    ) -> Mapping[str, Any]:
        """Ask something; returns the result.

        Raises
        ------
        ToolFailed
            If there is none, or none in time.
        OSError
            If the device is gone.
        """
        self._count += 1
        id = self._count
        self._waiting[id] = future = asyncio.get_running_loop().create_future()
        try:
            await self._send({'jsonrpc': '2.0', 'id': id, 'method': method, 'params': params})
            answer = await asyncio.wait_for(future, seconds)
        except asyncio.TimeoutError:
            raise ToolFailed(f'{method} was not answered', answered=False) from None
        finally:
            self._waiting.pop(id, None)
        error = answer.get('error')
        if error is not None:
            told = error.get('message') if isinstance(error, dict) else error
            raise ToolFailed(str(told))
        result = answer.get('result')
        return result if isinstance(result, dict) else {}

    def take(self, payload: Any) -> None:
        """Take what the device answers."""
        id = payload.get('id') if isinstance(payload, dict) else None
        waiting = self._waiting.get(id) if isinstance(id, int) else None
        if waiting is not None and not waiting.done():
            waiting.set_result(payload)

    def hung_up(self) -> None:
        """Nobody will answer any more."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ConnectionResetError('the device hung up'))
                waiting.exception()  # whoever waited is gone as well
        self._waiting.clear()
