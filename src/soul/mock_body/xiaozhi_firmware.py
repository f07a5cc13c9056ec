"""The device's side of the xiaozhi protocol: it dials, says hello, lists its tools and is used.

The same device as behind soul-serial; only its words are others. It has no voice of its own: what
the host sends as a sentence stands on its screen until the host says stop.
"""

from __future__ import annotations

import json
import math
import random
from collections import deque
from collections.abc import Mapping
from typing import Any, Protocol

from soul.mock_body.calls import DialEvent, Dialled, HungUp, Posted, Said
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.device import Device
from soul.mock_body.faults import Faults
from soul.mock_body.performer import Performer, UtteranceLog
from soul.mock_body.picture import draw
from soul.mock_body.telemetry import Telemetry
from soul.mock_body.xiaozhi_tools import ToolError, XiaozhiTools
from soul.wire import schema

_HELLO_SECONDS = 10.0  # without the host's hello by then it hangs up
_LONG_TOUCH = 0.5  # s; longer is a stroke
_EMOTIONS = {'thinking': 'doubt'}


class TextLine(Protocol):
    """The telephone, so to speak."""

    def write(self, text: str) -> None:
        """Say something; never blocks."""

    def clear(self) -> None:
        """Drop what has not been sent yet."""

    def hang_up(self) -> None:
        """Hang up and dial again."""

    def post(self, url: str, token: str, question: str, jpeg: bytes, id: int) -> None:
        """Post a photo; the answer comes as an event."""


class XiaozhiFirmware:
    """Session, tools and touches of the simulated device."""

    def __init__(
        self,
        device: Device,
        config: MockBodyConfig,
        faults: Faults,
        rng: random.Random,
        line: TextLine,
        log: UtteranceLog,
    ) -> None:
        caps = frozenset(config.capabilities)
        self.faults = faults
        self.sid = ''  # the session that the host has given it; empty without one
        self.boot_id = f'{rng.getrandbits(32):08x}'
        self._device = device
        self._config = config
        self._rng = rng
        self._line = line
        self._log = log
        self._telemetry = Telemetry(device, faults, caps, rng)
        self._performer = Performer(device, config, faults, caps, log)
        self._tools = XiaozhiTools(
            device, faults, caps, self._performer, self._telemetry, self._begin_photo
        )
        #: The connection; 0: none.
        self.call = 0
        self._dialled = -math.inf
        #: Where photos go, and the token for it.
        self.vision = ('', '')
        self._asked = 0  # id of the question that is being answered
        self._shown = 0  # sentences
        self._touched = -math.inf
        self._inbox: deque[tuple[float, Mapping[str, Any]]] = deque()
        self._heard = self._unsound = 0

    def boot(self, now: float, reset: str = 'poweron', uptime: float = 0.0) -> None:
        """Boot, as after `reset`: it dials anew."""
        self._leave(now, 'reset')
        self.boot_id = f'{self._rng.getrandbits(32):08x}'
        if reset in ('poweron', 'brownout'):
            self.faults.servo_hung = False  # only that frees the servo bus
        self._device.torque = True  # this firmware holds its head
        self._log.write({'e': 'boot', 'at': now, 'boot': self.boot_id, 'rst': reset})
        self._line.hang_up()

    def receive(self, event: DialEvent, now: float) -> None:
        """Take what happened on the line."""
        self._device.advance(now)
        match event:
            case Dialled(call):
                self.call, self._dialled = call, now
                self._hello()
            case HungUp(call) if call == self.call:
                self._leave(now, 'hung up')
            case Said(call, text) if call == self.call:
                self._heard += 1
                try:
                    data = json.loads(text)
                except ValueError:
                    data = None
                if isinstance(data, dict):
                    self._inbox.append((now, data))
                else:
                    self._unsound += 1
            case Posted(call, id, answer, ok) if call == self.call:
                self._answer(id, answer, not ok)
        self._work(now)

    def step(self, now: float) -> None:
        """Do what is due."""
        self._device.advance(now)
        self._work(now)
        if self.call and not self.sid and now >= self._dialled + _HELLO_SECONDS:
            self._leave(now, 'no hello')
            self._line.hang_up()
        self._telemetry.misbehave(now)
        self._touch(now)

    def due(self) -> float:
        """When :meth:`step` has something to do next."""
        due = self._telemetry.due()
        if self.call and not self.sid:
            due = min(due, self._dialled + _HELLO_SECONDS)
        if self._inbox:
            due = min(due, self._inbox[0][0] + self.faults.stall)
        return due

    def lose_power(self, now: float) -> None:
        """The network is gone."""
        self._leave(now, 'cable')

    def counts(self) -> Mapping[str, str]:
        """What it has heard, for the diagnostics."""
        return {'messages': str(self._heard), 'bad messages': str(self._unsound)}

    # --- the session ----------------------------------------------------------------------

    def _hello(self) -> None:
        sound = {'format': 'opus', 'sample_rate': 16_000, 'channels': 1, 'frame_duration': 60}
        self._send(
            'hello', version=1, features={'mcp': True}, transport='websocket', audio_params=sound
        )

    def _leave(self, now: float, why: str) -> None:
        """Hold still and forget the session: nothing of it may be done later."""
        self._device.freeze()
        self._performer.cut(now, why)
        self._inbox.clear()
        self._telemetry.end()
        if self.sid:
            self._log.write({'e': 'leave', 'at': now, 'sid': self.sid, 'why': why})
        self.sid = ''
        self.call = 0
        self.vision = ('', '')
        self._line.clear()

    def _send(self, kind: str, **fields: Any) -> None:
        if self.faults.mute or not self.call:
            return
        if self.sid:
            # A rotten one is of an earlier session.
            fields['session_id'] = 'stale' if self.faults.rotten_session else self.sid
        text = json.dumps({'type': kind, **fields})
        if self.faults.corrupt and self._rng.random() < self.faults.corrupt:
            text = text[: self._rng.randrange(len(text))]
        self._line.write(text)

    def _work(self, now: float) -> None:
        while self._inbox and self._inbox[0][0] + self.faults.stall <= now:
            _, data = self._inbox.popleft()
            self._handle(data, now)

    def _handle(self, data: Mapping[str, Any], now: float) -> None:
        kind = data.get('type')
        if kind == 'hello':
            self.sid = str(data.get('session_id', ''))
            self.faults.rotten_session = False  # a fresh one is sound again
            if self.sid:
                self._telemetry.begin(schema.Want(), now)
                self._log.write({'e': 'join', 'at': now, 'sid': self.sid})
        elif not self.sid or data.get('session_id') not in (None, self.sid):
            self._unsound += 1
        elif kind == 'tts':
            self._tts(data, now)
        elif kind == 'llm':
            self._feel(str(data.get('emotion', '')), now)
        elif kind == 'mcp' and isinstance(data.get('payload'), dict):
            self._mcp(data['payload'], now)

    def _tts(self, data: Mapping[str, Any], now: float) -> None:
        state, text = data.get('state'), data.get('text')
        if state == 'sentence_start' and isinstance(text, str):
            self._performer.finish(now)
            self._shown += 1
            self._performer.show(f'shown{self._shown}', text, now)
        elif state == 'stop' and not self.faults.ignore_done:
            self._log.write({'e': 'stop', 'at': now, 'id': ''})
            self._performer.finish(now)
            if heard := self._performer.take_heard():
                self._send('listen', state='detect', text=heard)

    def _feel(self, emotion: str, now: float) -> None:
        face = schema.Face(t='face', q=0, name=_EMOTIONS.get(emotion, emotion)[:64])
        self._performer.perform(face, now)

    # --- tools ----------------------------------------------------------------------------

    def _mcp(self, payload: Mapping[str, Any], now: float) -> None:
        id, method = payload.get('id'), payload.get('method')
        params = payload.get('params')
        params = params if isinstance(params, dict) else {}
        if not isinstance(id, int):
            return  # a notification
        if method == 'initialize':
            capabilities = params.get('capabilities')
            vision = capabilities.get('vision') if isinstance(capabilities, dict) else None
            if isinstance(vision, dict):
                self.vision = (str(vision.get('url', '')), str(vision.get('token', '')))
            server = {'name': 'soul-mock', 'version': '1.0'}
            self._reply(id, result={
                'protocolVersion': '2024-11-05', 'capabilities': {'tools': {}},
                'serverInfo': server,
            })  # fmt: skip
        elif method == 'tools/list':
            self._reply(id, result=self._tools.page(str(params.get('cursor', ''))))
        elif method == 'tools/call':
            self._use(id, str(params.get('name', '')), params.get('arguments'), now)
        else:
            self._reply(id, error={'message': f'Method not implemented: {method}'})

    def _use(self, id: int, name: str, arguments: Any, now: float) -> None:
        if '.get_' not in name:  # a bystander sees nothing of those
            self._log.write({'e': 'cmd', 'at': now, 't': name, 'id': str(id)})
        self._asked = id
        try:
            answer = self._tools.call(name, arguments if isinstance(arguments, dict) else {}, now)
        except ToolError as error:
            self._answer(id, str(error), True)
        else:
            if answer is not None:
                self._answer(id, answer, False)

    def _answer(self, id: int, text: str, failed: bool) -> None:
        if self.faults.ignore_ack > 0:
            self.faults.ignore_ack -= 1
            return
        if self.faults.ignore_done and self._device.utterance is not None:
            return  # stuck in its speech
        self._reply(id, result={'content': [{'type': 'text', 'text': text}], 'isError': failed})

    def _reply(self, id: int, **fields: Any) -> None:
        self._send('mcp', payload={'jsonrpc': '2.0', 'id': id, **fields})

    def _begin_photo(self, question: str) -> None:
        url, token = self.vision
        if not url:
            raise ToolError('no address for photos')
        jpeg = draw(self._device, self._config.jpeg_quality)
        self._line.post(url, token, question, jpeg, self._asked)

    # --- touch ----------------------------------------------------------------------------

    def _touch(self, now: float) -> None:
        touched = any(self._device.zones)
        if touched and self._touched == -math.inf:
            self._touched = now
        elif not touched and self._touched > -math.inf:
            seconds, self._touched = now - self._touched, -math.inf
            self._send(
                'stackchan-event', event_type='touch',
                subtype='stroke' if seconds > _LONG_TOUCH else 'tap',
                duration_ms=round(1000.0 * seconds), ts=round(1000.0 * now),
            )  # fmt: skip
