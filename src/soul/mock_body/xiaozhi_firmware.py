"""The device's side of the xiaozhi protocol: it dials, says hello, lists its tools and is used.

The same device as behind soul-serial; only its words are others. It has no voice of its own: it
plays the sound that it is sent, and what the host sends as a sentence stands on its screen until
the host says stop. This is the firmware that dials again by itself and listens when it is told to.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from soul.mock_body.calls import Asked, DialEvent, Dialled, HungUp, Posted, Said, SoundSaid
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.device import Device
from soul.mock_body.faults import Faults
from soul.mock_body.loudspeaker import Loudspeaker
from soul.mock_body.microphone import MockMicrophone
from soul.mock_body.performer import Performer, UtteranceLog
from soul.mock_body.phone_session import PhoneLine, PhoneSession
from soul.mock_body.telemetry import Telemetry
from soul.mock_body.tool_server import ToolServer, ToolSet
from soul.mock_body.xiaozhi_tools import XiaozhiTools
from soul.wire import schema
from soul.wire.opus import Opus
from soul.wire.sound_frames import pack, unpack

_LONG_TOUCH = 0.5  # s; longer is a stroke
_EMOTIONS = {'thinking': 'doubt'}


class XiaozhiFirmware:
    """Tools, sound and touches of the simulated device."""

    def __init__(
        self,
        device: Device,
        config: MockBodyConfig,
        faults: Faults,
        rng: random.Random,
        line: PhoneLine,
        log: UtteranceLog,
    ) -> None:
        caps = frozenset(config.capabilities)
        self.faults = faults
        self.session = PhoneSession(line, faults, rng)
        self.boot_id = f'{rng.getrandbits(32):08x}'
        self.device = device
        self.line = line
        self._config = config
        self._rng = rng
        self._log = log
        self._telemetry = Telemetry(device, faults, caps, rng)
        self.performer = Performer(device, config, faults, caps, log)
        self._mcp = ToolServer(
            device, faults, lambda payload: self.send('mcp', payload=payload), self._note,
            line.post, config.jpeg_quality,
        )  # fmt: skip
        self._mcp.tools = self.make_tools(caps, self._telemetry)
        library = _library(config.libopus)
        played = Path(config.played_file) if config.played_file else None
        self.speaker = Loudspeaker(library, played)
        self.microphone = MockMicrophone(library)
        self._shown = 0  # sentences
        self._is_to_listen = False  # the host has said so
        self._touched = -math.inf
        self.words: deque[str] = deque(maxlen=100)  # what the host has understood

    def make_tools(self, caps: Collection[str], telemetry: Telemetry) -> ToolSet:
        """Make the tools of this firmware."""
        return XiaozhiTools(
            self.device, self.faults, caps, self.performer, telemetry, self._mcp.begin_photo
        )

    @property
    def sid(self) -> str:
        """The session that the host has given it; empty without one."""
        return self.session.sid

    @property
    def call(self) -> int:
        """Number of the connection; 0: there is none."""
        return self.session.call

    @property
    def vision(self) -> tuple[str, str]:
        """Where photos go, and the token for it."""
        return self._mcp.vision

    def boot(self, now: float, reset: str = 'poweron', uptime: float = 0.0) -> None:
        """Boot, as after `reset`: it dials anew."""
        self._leave(now, 'reset')
        self.boot_id = f'{self._rng.getrandbits(32):08x}'
        if reset in ('poweron', 'brownout'):
            self.faults.servo_hung = False  # only that frees the servo bus
        self.device.torque = True  # this firmware holds its head
        self._log.write({'e': 'boot', 'at': now, 'boot': self.boot_id, 'rst': reset})
        self.line.boot()

    def receive(self, event: DialEvent, now: float) -> None:
        """Take what happened on the line."""
        self.device.advance(now)
        match event:
            case Asked(why):
                self._log.write({'e': 'asked', 'at': now, 'why': why})
            case Dialled(call):
                self.session.begin(call, now)
                self._hello()
            case HungUp(call) if call == self.call:
                self._leave(now, 'hung up')
            case Said(call, text) if call == self.call:
                self.session.take(text, now)
            case SoundSaid(call, message) if call == self.call:
                if packet := unpack(message, self._config.sound_version):
                    self.speaker.take(packet, now)
            case Posted(call, id, answer, ok) if call == self.call:
                self._mcp.answer(id, answer, not ok)
        self._work(now)

    def step(self, now: float) -> None:
        """Do what is due."""
        self.device.advance(now)
        self._work(now)
        if self.session.overdue(now):
            self._leave(now, 'no hello')
            self.line.hang_up(True)
        self._telemetry.misbehave(now)
        self._touch(now)
        if self.speaker.step(now):
            self.fell_silent(now)
        for packet in self.microphone.packets(now):
            if self.sid and not self.faults.mute:
                self.line.write(pack(packet, self._config.sound_version, int(1000.0 * now)))

    def due(self) -> float:
        """When :meth:`step` has something to do next."""
        return min(
            self._telemetry.due(), self.speaker.due(), self.microphone.due(), self.session.due()
        )

    def lose_power(self, now: float) -> None:
        """The network is gone."""
        self._leave(now, 'cable')

    def counts(self) -> Mapping[str, str]:
        """What it has heard, for the diagnostics."""
        return {'messages': str(self.session.heard), 'bad messages': str(self.session.unsound)}

    def close(self) -> None:
        """Let go of files and the like."""
        self.speaker.close()
        self.microphone.close()

    # --- what somebody does with it -------------------------------------------------------

    def wake(self, now: float) -> None:
        """Somebody says its wake word, or taps it."""
        self.line.wake()

    def press(self, now: float) -> None:
        """Somebody stops what it says."""
        if self.speaker.speaks or self.device.utterance is not None:
            self.speaker.cut()
            self.send('abort', reason='wake_word_detected')

    # --- the session ----------------------------------------------------------------------

    def _hello(self) -> None:
        sound = {'format': 'opus', 'sample_rate': 16_000, 'channels': 1, 'frame_duration': 60}
        features = {'mcp': True, **({'aec': True} if self._config.echo_cancelling else {})}
        self.send(
            'hello', version=self._config.sound_version, features=features,
            transport='websocket', audio_params=sound,
        )  # fmt: skip

    def _leave(self, now: float, why: str) -> None:
        """Hold still and forget the session: nothing of it may be done later."""
        self.device.freeze()
        self.performer.cut(now, why)
        self.speaker.cut()
        self._is_to_listen = False
        self.microphone.listen(False, now)
        self._telemetry.end()
        if self.sid:
            self._log.write({'e': 'leave', 'at': now, 'sid': self.sid, 'why': why})
        self.session.end()
        self._mcp.vision = ('', '')

    def send(self, kind: str, **fields: Any) -> None:
        """Send a message."""
        self.session.send(kind, **fields)

    def _work(self, now: float) -> None:
        for data in self.session.messages(now):
            self._handle(data, now)

    def _handle(self, data: Mapping[str, Any], now: float) -> None:
        kind = data.get('type')
        if kind == 'hello':
            self._telemetry.begin(schema.Want(), now)
            self._log.write({'e': 'join', 'at': now, 'sid': self.sid})
            self.joined(now)
        elif kind == 'tts':
            self._tts(data, now)
        elif kind == 'stt':
            self.words.append(str(data.get('text', '')))
        elif kind == 'listen':
            self.told_to_listen(str(data.get('state', '')), now)
        elif kind == 'llm':
            self.feel(str(data.get('emotion', '')), now)
        elif kind == 'mcp' and isinstance(data.get('payload'), dict):
            self._mcp.take(data['payload'], now)

    def _tts(self, data: Mapping[str, Any], now: float) -> None:
        state, text = data.get('state'), data.get('text')
        if state == 'start':
            self.speaker.begin(now)
            self.begins_to_speak(now)
        elif state == 'sentence_start' and isinstance(text, str):
            self.performer.finish(now)
            self._shown += 1
            self.performer.show(f'shown{self._shown}', text, now)
        elif state == 'stop' and not self.faults.ignore_done:
            self._log.write({'e': 'stop', 'at': now, 'id': ''})
            self.speaker.end(now, self.faults.stop_clears)
            self.performer.finish(now)
            if self.speaker.step(now):  # before whatever comes next is done
                self.fell_silent(now)
            if heard := self.performer.take_heard():
                self.send('listen', state='detect', text=heard)

    # --- what another firmware does otherwise ---------------------------------------------

    def joined(self, now: float) -> None:
        """The host has said hello."""

    def begins_to_speak(self, now: float) -> None:
        """The host is about to send sound: listen no more, unless it cancels the echo."""
        self.microphone.listen(self._config.echo_cancelling and self._is_to_listen, now)

    def fell_silent(self, now: float) -> None:
        """What was sent has been played, after the host has said that it was all."""
        self.microphone.listen(self._is_to_listen and bool(self.sid), now)

    def told_to_listen(self, state: str, now: float) -> None:
        """Listen from now on, or no more."""
        self._is_to_listen = state == 'start'
        self.microphone.listen(self._is_to_listen, now)

    def feel(self, emotion: str, now: float) -> None:
        """Show an emotion."""
        face = schema.Face(t='face', q=0, name=_EMOTIONS.get(emotion, emotion)[:64])
        self.performer.perform(face, now)

    # --- the rest -------------------------------------------------------------------------

    def _note(self, tool: str, id: int, now: float) -> None:
        self._log.write({'e': 'cmd', 'at': now, 't': tool, 'id': str(id)})

    def _touch(self, now: float) -> None:
        touched = any(self.device.zones)
        if touched and self._touched == -math.inf:
            self._touched = now
        elif not touched and self._touched > -math.inf:
            seconds, self._touched = now - self._touched, -math.inf
            self.touched(seconds, now)

    def touched(self, seconds: float, now: float) -> None:
        """Somebody has touched its head for so long."""
        self.send(
            'stackchan-event', event_type='touch',
            subtype='stroke' if seconds > _LONG_TOUCH else 'tap',
            duration_ms=round(1000.0 * seconds), ts=round(1000.0 * now),
        )  # fmt: skip


def _library(path: str) -> Opus | None:
    try:
        return Opus(path)
    except OSError:
        return None
