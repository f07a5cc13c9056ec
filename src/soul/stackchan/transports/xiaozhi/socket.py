"""The driver's end of a device's WebSocket."""

from __future__ import annotations

import contextlib

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

#: What a device is told when it is sent away.
_GOING = 1000


class DeviceSocket:
    """A WebSocket that a device has opened.

    Attributes
    ----------
    device
        What it calls itself.
    place
        Host and port at which it has reached us.
    version
        Of the protocol as its header says; 0: it does not.
    """

    def __init__(self, socket: WebSocket, device: str, place: str) -> None:
        self.device = device
        self.place = place
        told = socket.headers.get('protocol-version', '')
        self.version = int(told) if told in ('1', '2', '3') else 0
        self._socket = socket

    async def receive(self) -> str | bytes:
        """Wait for the next message.

        Raises
        ------
        ConnectionResetError
            If the device has hung up.
        """
        message = await self._socket.receive()
        if message['type'] != 'websocket.receive':
            raise ConnectionResetError('the device hung up')
        text: str | None = message.get('text')
        return text if text is not None else message.get('bytes') or b''

    async def send(self, message: str | bytes) -> None:
        """Send a message; text or binary, as it is.

        Raises
        ------
        ConnectionResetError
            If the device has hung up.
        """
        try:
            if isinstance(message, str):
                await self._socket.send_text(message)
            else:
                await self._socket.send_bytes(message)
        except (WebSocketDisconnect, RuntimeError) as error:  # the latter: it is closed already
            raise ConnectionResetError('the device hung up') from error

    async def close(self, why: str) -> None:
        """Hang up."""
        if self._socket.application_state is WebSocketState.CONNECTED:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await self._socket.close(_GOING, why[:100])
