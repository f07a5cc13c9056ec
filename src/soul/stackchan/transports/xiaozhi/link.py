"""One connection of a device with the xiaozhi firmware: hello both ways, then messages.

The device dials; a connection is a session of its own with a new id.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from soul.stackchan.transports.xiaozhi.mcp import ToolClient
from soul.stackchan.transports.xiaozhi.socket import DeviceSocket
from soul.text.json_object import json_object
from soul.wire.sound_frames import VERSIONS, pack, unpack

_HELLO_SECONDS = 10.0
#: What comes before anybody listens is kept, so many messages; of sound that is half a minute.
_KEPT = 500
#: Sound to the device is Opus of that rate, Hz, in packets of that length, ms.
SPEAKER_RATE, PACKET_MS = 24_000, 60
_AUDIO = {
    'format': 'opus', 'sample_rate': SPEAKER_RATE, 'channels': 1, 'frame_duration': PACKET_MS,
}  # fmt: skip


class XiaozhiLink:
    """A device that has dialled.

    Attributes
    ----------
    session_id
        Of this connection; messages of another one are not heard.
    client
        Its tools.
    stale
        How many messages of another session have come.
    gone
        Set once it has hung up, or was replaced.
    silent
        Whether it is gone because nothing has come from it.
    has_sound
        Whether its microphone sends Opus, and it plays Opus.
    cancels_echo
        Whether it hears people while it speaks.
    heard
        When anything has come last, monotonic s.
    """

    def __init__(self, socket: DeviceSocket) -> None:
        self.device = socket.device
        self.place = socket.place
        self.session_id = uuid.uuid4().hex
        self.photo_token = uuid.uuid4().hex
        self.client = ToolClient(lambda payload: self.send('mcp', payload=payload))
        self.stale = 0
        self.gone = asyncio.Event()
        self.silent = False
        self.has_sound = False
        self.cancels_echo = False
        self.heard = time.monotonic()
        self._socket = socket
        self._version = socket.version or 1
        self._sound_sent = 0  # packets
        self._kept: deque[Mapping[str, Any] | bytes] = deque(maxlen=_KEPT)
        self._hear: Callable[[Mapping[str, Any] | bytes], None] = self._kept.append
        self._greeted: asyncio.Future[Mapping[str, Any]] = (
            asyncio.get_running_loop().create_future()
        )

    @property
    def tools(self) -> Mapping[str, Mapping[str, Any]]:
        """What it can do, by name."""
        return self.client.tools

    def listen(self, hear: Callable[[Mapping[str, Any] | bytes], None] | None) -> None:
        """Let somebody hear all that it says, from its first word on; None: nobody.

        A packet of sound comes as bytes, without its header.
        """
        if hear is None:
            self._hear = self._kept.append
            return
        self._hear = hear
        while self._kept:
            hear(self._kept.popleft())

    async def read(self) -> None:
        """Read until the connection ends."""
        try:
            while True:
                message = await self._socket.receive()
                self.heard = time.monotonic()
                if isinstance(message, str):
                    self._take(json_object(message))
                elif packet := unpack(message, self._version):
                    self._hear(packet)
        except ConnectionResetError:
            pass
        finally:
            if not self._greeted.done():
                self._greeted.set_exception(ConnectionResetError('the device hung up'))
                self._greeted.exception()
            self.client.hung_up()

    async def greet(self, vision: str) -> None:
        """Exchange hellos and find out what the device can do.

        Parameters
        ----------
        vision
            Where it is to post its photos.

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
        features = features if isinstance(features, dict) else {}
        self.cancels_echo = bool(features.get('aec'))
        version = hello.get('version')
        if isinstance(version, int) and version in VERSIONS:  # else the header has said it
            self._version = version
        sound = hello.get('audio_params')
        self.has_sound = isinstance(sound, dict) and sound.get('format') == 'opus'
        await self.send('hello', transport='websocket', version=self._version, audio_params=_AUDIO)
        if features.get('mcp'):
            await self.client.discover({'url': vision, 'token': self.photo_token})

    async def send(self, kind: str, **fields: Any) -> None:
        """Send a message.

        Raises
        ------
        OSError
            If the device is gone.
        """
        await self._socket.send(
            json.dumps({'type': kind, 'session_id': self.session_id, **fields})
        )

    async def send_sound(self, packet: bytes) -> None:
        """Send a packet of Opus; the device plays it only while it is to speak.

        Raises
        ------
        OSError
            If the device is gone.
        """
        self._sound_sent += 1
        await self._socket.send(pack(packet, self._version, PACKET_MS * (self._sound_sent - 1)))

    async def hang_up(self, why: str) -> None:
        """Close the device's connection."""
        await self._socket.close(why)

    def _take(self, data: Mapping[str, Any] | None) -> None:
        if data is None:
            return  # nothing that we understand
        kind = data.get('type')
        if kind == 'hello':
            if not self._greeted.done():
                self._greeted.set_result(data)
        elif data.get('session_id') not in (None, '', self.session_id):
            self.stale += 1
        elif kind == 'mcp':
            self.client.take(data.get('payload'))
        else:
            self._hear(data)
