"""A device of the xiaozhi protocol with a loudspeaker and a microphone, written from its facts.

It drops sound while it is not to speak, which it is a moment after it has been told; holds 40
packets and drops the rest; plays one each 60 ms; forgets what it has not played when it is told to
stop; and sends what its microphone hears only while it listens.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections import deque

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from soul.voice.sound import MOUTH_RATE, Clip, as_floats, as_samples, at_rate
from soul.wire import opus
from soul.wire.sound_frames import pack, unpack
from support import opus as peer
from support.waiting import never

FRAME = 0.06
HOLDS = 40
TOOLS = [{'name': 'self.get_device_status', 'inputSchema': {'type': 'object', 'properties': {}}}]
MOUTH = {
    'name': 'self.display.set_mouth',
    'inputSchema': {
        'type': 'object',
        'properties': {'mouth': {'type': 'string', 'enum': ['closed', 'half', 'open']}},
    },
}


class TalkingDevice:
    """A device on a thread of its own.

    Parameters
    ----------
    url
        Where it dials.
    late
        So long after it was told to speak it begins to, s.
    echo
        Its microphone hears what it plays: loudness 0..1 and delay, s; None: it does not.
    aec
        It cancels its echo and listens all the time.
    open_mic
        It sends what its microphone hears also while it speaks.
    lag
        So long the next packet of its microphone takes, s.
    mouth
        It has a mouth, and its tool takes so long, s; None: it has none.
    network
        So long the next message takes to it, s; none overtakes another.
    """

    def __init__(
        self, url, version=1, late=0.05, echo=None, aec=False, open_mic=False, lag=lambda: 0.0,
        mouth=None, network=lambda: 0.0,
    ):  # fmt: skip
        self.heard = []  # messages of JSON
        self.times = []  # when each packet came, monotonic s
        self.played = b''  # samples, 24 kHz
        self.early = self.dropped = self.starved = 0  # packets
        self.stops = []  # when it was told to stop, monotonic s
        self.person_at = 0.0  # when a person spoke last, monotonic s
        self._url = url
        self._version = version
        self._late = late
        self._echo = echo
        self._aec = aec
        self._open = open_mic or aec
        self._lag = lag
        self._mouth = mouth
        self._network = network
        self.most_held = 0  # packets
        self.mouths = []  # how its mouth was moved, and how much had come by then: packets
        self._held = deque()
        self._speaking = self._to_speak = False
        self._listening = False
        self._person = deque()  # samples of frames to come
        self._room = deque()  # (when, samples) of what was played
        self._closing = False
        library = opus.Opus(peer.library())
        self._decoder = opus.OpusDecoder(library, MOUTH_RATE)
        self._encoder = opus.OpusEncoder(library, opus.RATE)
        self._socket = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._live()])
        self._thread.start()

    # --- what a test does -------------------------------------------------------------------

    def say(self, samples):
        """Let a person speak to it: 16 kHz."""
        frames = [
            samples[at : at + 1920].ljust(1920, b'\0') for at in range(0, len(samples), 1920)
        ]
        self._loop.call_soon_threadsafe(self._person.extend, frames)

    def send(self, kind, **fields):
        """Send a message."""
        self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self._send(kind, **fields)))

    def texts(self, kind, state=''):
        """What it was told."""
        return [
            one.get('text', '') for one in self.heard
            if one['type'] == kind and (not state or one.get('state') == state)
        ]  # fmt: skip

    @property
    def emotions(self):
        """The faces it was told to show."""
        return [one['emotion'] for one in self.heard if one['type'] == 'llm']

    @property
    def talks(self):
        """Whether a person is speaking to it."""
        return bool(self._person)

    @property
    def listening(self):
        return self._listening

    def hang_up(self):
        """Lose the network."""
        self._loop.call_soon_threadsafe(lambda: self._socket and self._socket.transport.abort())

    def close(self):
        self._closing = True
        self.hang_up()
        self._thread.join()
        self._loop.close()

    # --- its life -----------------------------------------------------------------------------

    async def _live(self):
        while not self._closing:
            try:
                async with connect(
                    self._url(), proxy=None, compression=None,
                    additional_headers={
                        'Device-Id': '02:50:0c:00:00:02', 'Client-Id': 'talks',
                        'Protocol-Version': str(self._version),
                    },
                ) as self._socket:  # fmt: skip
                    await self._talk()
            except (OSError, ConnectionClosed):
                pass
            self._socket = None
            self._listening = self._speaking = self._to_speak = False
            self._held.clear()
            await asyncio.sleep(0.1)

    async def _talk(self):
        features = {'mcp': True, **({'aec': True} if self._aec else {})}
        await self._send(
            'hello', version=self._version, features=features, transport='websocket',
            audio_params={
                'format': 'opus', 'sample_rate': 16_000, 'channels': 1, 'frame_duration': 60,
            },
        )  # fmt: skip
        came = asyncio.Queue()
        tasks = [
            self._loop.create_task(self._arrive(came)),
            self._loop.create_task(self._play()),
            self._loop.create_task(self._hear()),
        ]
        try:
            async for message in self._socket:
                came.put_nowait((time.monotonic() + self._network(), message))
        finally:
            for task in tasks:
                task.cancel()

    async def _arrive(self, came):
        while True:
            due, message = await came.get()
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if isinstance(message, bytes):
                self._packet(unpack(message, self._version))
            else:
                await self._message(json.loads(message))

    async def _message(self, data):
        self.heard.append(data)
        if data['type'] == 'hello':
            mode = 'realtime' if self._aec else 'auto'
            await self._send('listen', state='start', mode=mode)
            self._listening = True
        elif data['type'] == 'mcp':
            self._loop.create_task(self._tool(data['payload']))
        elif data['type'] == 'tts' and data['state'] == 'start':
            self._to_speak = True
            self._loop.call_later(self._late, self._speak)
        elif data['type'] == 'tts' and data['state'] == 'stop':
            self.stops.append(time.monotonic())
            self._to_speak = self._speaking = False
            self._held.clear()
            if not self._listening:
                await self._send('listen', state='start', mode='auto')
                self._listening = True

    def _speak(self):
        if self._to_speak:
            self._held.clear()
            self._speaking = True
            self._listening = self._open

    async def _tool(self, payload):
        if 'id' not in payload:
            return
        answers = {
            'initialize': {'protocolVersion': '2024-11-05', 'capabilities': {}, 'serverInfo': {}},
            'tools/list': {'tools': TOOLS if self._mouth is None else [*TOOLS, MOUTH]},
        }
        done = {'content': [{'type': 'text', 'text': '{}'}], 'isError': False}
        result = answers.get(payload['method'], done)
        if payload.get('params', {}).get('name') == MOUTH['name']:
            self.mouths.append((payload['params']['arguments']['mouth'], len(self.times)))
            with contextlib.suppress(asyncio.TimeoutError):  # so long its servo takes
                await asyncio.wait_for(never(), self._mouth)
        answer = {'jsonrpc': '2.0', 'id': payload['id'], 'result': result}
        await self._send('mcp', payload=answer)

    def _packet(self, packet):
        self.times.append(time.monotonic())
        if not self._speaking:
            self.early += 1
        elif len(self._held) >= HOLDS:
            self.dropped += 1
        else:
            self._held.append(packet)
            self.most_held = max(self.most_held, len(self._held))

    async def _play(self):
        due, idle = time.monotonic(), 0
        while True:
            due = max(due + FRAME, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            if not self._speaking:
                idle = 0
                continue
            if not self._held:
                idle += bool(self.played)
                continue
            self.starved += idle
            idle = 0
            samples = self._decoder.decode(self._held.popleft())
            self.played += samples
            self._room.append((due, at_rate(Clip(samples, MOUTH_RATE), opus.RATE).samples))

    async def _hear(self):
        due = time.monotonic()
        while True:
            due += FRAME
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            frame = self._person.popleft() if self._person else bytes(1920)
            if max(frame) and abs(as_floats(frame)).max() > 0.02:
                self.person_at = due
            frame = self._mixed(frame, due)
            if self._listening or (self._open and self._speaking):
                packet = self._encoder.encode(frame)
                await asyncio.sleep(self._lag())
                await self._socket.send(pack(packet, self._version))

    def _mixed(self, frame, due):
        """Add what the room still sounds of."""
        if self._echo is None:
            return frame
        loud, delay = self._echo
        numbers = as_floats(frame).copy()
        while self._room and self._room[0][0] + delay <= due - FRAME:
            _, samples = self._room.popleft()
            other = loud * as_floats(samples)
            numbers[: len(other)] += other[: len(numbers)]
        return as_samples(numbers)

    async def _send(self, kind, **fields):
        if self._socket is not None:
            await self._socket.send(json.dumps({'type': kind, **fields}))
