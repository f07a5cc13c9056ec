"""One connection of a device with the xiaozhi firmware: hello both ways, then MCP 2024-11-05.

The device dials; a connection is a session of its own with a new id. Calls of its tools are
answered or time out, and are never repeated: a move that timed out may have been made.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

_HELLO_SECONDS = 10.0
_CALL_SECONDS = 5.0
_TAKEN_SECONDS = 3.0
_MOST_PAGES = 100  # of the list of tools
_VERSION = '2024-11-05'
#: Sound to the device would be 24 kHz Opus in frames of 60 ms.
_AUDIO = {'format': 'opus', 'sample_rate': 24_000, 'channels': 1, 'frame_duration': 60}


#: Bytes before the sound of a binary message, by version of the protocol.
_SOUND_HEADER = {2: 16, 3: 4}


class ToolFailed(Exception):
    """The device answered that a tool failed, or did not answer."""

    def __init__(self, why: str, answered: bool = True) -> None:
        super().__init__(why)
        self.answered = answered


class XiaozhiLink:
    """A device that has dialled.

    Parameters
    ----------
    hear
        Is told each message that is neither MCP nor of another session.
    hear_sound
        Is given each packet of its microphone's sound.
    vision
        Where the device is to post its photos, given the address that it has dialled; empty:
        nowhere.
    """

    def __init__(
        self,
        socket: ServerConnection,
        hear: Callable[[Mapping[str, Any]], None],
        hear_sound: Callable[[bytes], None],
        vision: Callable[[str], str],
    ) -> None:
        request = socket.request
        self.device = request.headers.get('Device-Id', '') if request is not None else ''
        self.session_id = uuid.uuid4().hex
        self.tools: dict[str, Mapping[str, Any]] = {}
        self.stale = 0  # messages of an earlier session
        self.gone = asyncio.Event()  # it has hung up, or was replaced
        self.photo_token = uuid.uuid4().hex
        self.has_sound = False  # its microphone sends Opus
        self._socket = socket
        self._hear = hear
        self._hear_sound = hear_sound
        self._sound_header = 0
        self._vision = vision
        self._mcp = False
        self._count = 0
        self._waiting: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._greeted: asyncio.Future[Mapping[str, Any]] = (
            asyncio.get_running_loop().create_future()
        )

    async def read(self) -> None:
        """Read until the connection ends."""
        try:
            async for message in self._socket:
                if isinstance(message, bytes):
                    if len(message) > self._sound_header:
                        self._hear_sound(message[self._sound_header :])
                    continue
                with contextlib.suppress(ValueError):  # no JSON: nothing we understand
                    data = json.loads(message)
                    if isinstance(data, dict):
                        self._take(data)
        except ConnectionClosed:
            pass
        finally:
            gone = ConnectionResetError('the device hung up')
            for waiting in (self._greeted, *self._waiting.values()):
                if not waiting.done():
                    waiting.set_exception(gone)
                    waiting.exception()  # whoever waited is gone as well
            self._waiting.clear()

    async def greet(self) -> None:
        """Exchange hellos and find out what the device can do.

        Raises
        ------
        OSError
            If it is no such device.
        """
        try:
            hello = await asyncio.wait_for(self._greeted, _HELLO_SECONDS)
        except asyncio.TimeoutError:
            raise OSError('the device did not say hello') from None
        features = hello.get('features')
        self._mcp = isinstance(features, dict) and bool(features.get('mcp'))
        version = hello.get('version')
        self._sound_header = _SOUND_HEADER.get(version, 0) if isinstance(version, int) else 0
        sound = hello.get('audio_params')
        self.has_sound = isinstance(sound, dict) and sound.get('format') == 'opus'
        await self.send('hello', transport='websocket', version=1, audio_params=_AUDIO)
        if self._mcp:
            await self._discover()

    async def send(self, kind: str, **fields: Any) -> None:
        """Send a message.

        Raises
        ------
        OSError
            If the device is gone.
        """
        text = json.dumps({'type': kind, 'session_id': self.session_id, **fields})
        try:
            await self._socket.send(text)
        except ConnectionClosed as error:
            raise ConnectionResetError('the device hung up') from error

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
        if not self._mcp:
            return False
        try:
            if witness:
                await self.call(witness, seconds=_TAKEN_SECONDS)
            else:
                await self._request('tools/list', {'cursor': ''}, _TAKEN_SECONDS)
        except ToolFailed as error:
            return error.answered
        return True

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
        result = await self._request('tools/call', params, seconds)
        content = result.get('content')
        first = content[0] if isinstance(content, list) and content else {}
        text = str(first.get('text', '')) if isinstance(first, dict) else ''
        if result.get('isError'):
            raise ToolFailed(text or tool)
        return text

    async def hang_up(self, why: str) -> None:
        """Close the device's connection; it dials again by itself."""
        await self._socket.close(1000, why[:100])

    # --- inside ---------------------------------------------------------------------------

    async def _discover(self) -> None:
        address = self._socket.local_address
        host = str(address[0]) if isinstance(address, tuple) else ''
        vision = {'url': self._vision(host), 'token': self.photo_token}
        client = {
            'protocolVersion': _VERSION,
            'capabilities': {'vision': vision},
            'clientInfo': {'name': 'soul', 'version': '1'},
        }
        with contextlib.suppress(ToolFailed):  # then it has none
            await self._request('initialize', client, _CALL_SECONDS)
            note = {'jsonrpc': '2.0', 'method': 'notifications/initialized'}
            await self.send('mcp', payload=note)
            cursor = ''
            seen: set[str] = set()
            while len(seen) < _MOST_PAGES and cursor not in seen:
                seen.add(cursor)
                page = await self._request('tools/list', {'cursor': cursor}, _CALL_SECONDS)
                tools = page.get('tools')
                for tool in tools if isinstance(tools, list) else ():
                    if isinstance(tool, dict) and isinstance(tool.get('name'), str):
                        self.tools[tool['name']] = tool
                cursor = str(page.get('nextCursor') or '')
                if not cursor:
                    break

    async def _request(
        self, method: str, params: Mapping[str, Any], seconds: float
    ) -> Mapping[str, Any]:
        self._count += 1
        id = self._count
        self._waiting[id] = future = asyncio.get_running_loop().create_future()
        try:
            payload = {'jsonrpc': '2.0', 'id': id, 'method': method, 'params': params}
            await self.send('mcp', payload=payload)
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

    def _take(self, data: Mapping[str, Any]) -> None:
        if data.get('type') == 'hello':
            if not self._greeted.done():
                self._greeted.set_result(data)
            return
        if data.get('session_id') not in (None, '', self.session_id):
            self.stale += 1
            return
        if data.get('type') != 'mcp':
            self._hear(data)
            return
        payload = data.get('payload')
        id = payload.get('id') if isinstance(payload, dict) else None
        waiting = self._waiting.get(id) if isinstance(id, int) else None
        if waiting is not None and not waiting.done():
            assert isinstance(payload, dict)
            waiting.set_result(payload)
