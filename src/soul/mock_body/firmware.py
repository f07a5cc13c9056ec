"""The device's side of soul-serial: bytes in, bytes out, and a device to move.

The host may be wrong, late, doubled or gone; the firmware answers, refuses or holds still.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from soul.core.bounded import BoundedDict
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.device import Device
from soul.mock_body.faults import Faults
from soul.mock_body.faulty_line import DeviceLine, FaultyLine
from soul.mock_body.pcm_speaker import PcmSpeaker
from soul.mock_body.performer import CommandOutcome, Performer, UtteranceLog
from soul.mock_body.serial_words import acts, identity, shown, time_to_live
from soul.mock_body.telemetry import Telemetry
from soul.wire import HOST_FRAMES, Decoder, SchemaError, Sequence, encode, parse, schema

PROTOCOL = (1, 0)
#: Ids of commands whose results the device remembers.
REMEMBERED = 64

_HELLO_PERIOD = 1.0
_HB_PERIOD = 0.5
_SILENCE = 1.5  # s without a word of the host after which the device holds still


class Firmware:
    """Session, acknowledgements and heartbeat of the simulated device."""

    def __init__(
        self,
        device: Device,
        config: MockBodyConfig,
        faults: Faults,
        rng: random.Random,
        line: DeviceLine,
        log: UtteranceLog,
    ) -> None:
        self.faults = faults
        self.decoder = Decoder()
        self.sequence = Sequence()
        self.rejected = 0  # messages that the schema refused
        self.speaker = PcmSpeaker(Path(config.played_file) if config.played_file else None)
        self._device = device
        self._config = config
        self._rng = rng
        self._wire = FaultyLine(line, faults, rng)
        self._log = log
        self._caps = frozenset(config.capabilities)
        self._telemetry = Telemetry(device, faults, self._caps, rng)
        self._performer = Performer(device, config, faults, self._caps, log)
        self._begin(0.0, 'poweron')

    def _begin(self, booted: float, reset: str) -> None:
        """Forget what a boot forgets."""
        self._booted = booted
        self._reset = reset
        self._boot = f'{self._rng.getrandbits(32):08x}'
        self._q = 0
        self._sid = ''
        self._heard = -math.inf
        self._next_hello = booted
        self._next_hb = math.inf
        self._results: BoundedDict[str, CommandOutcome] = BoundedDict(REMEMBERED)
        self._inbox: deque[tuple[float, schema.Frame]] = deque()
        self._wire.clear()
        self.decoder.reset()
        self.sequence.restart()
        self._telemetry.end()

    @property
    def sid(self) -> str:
        """The session the device has joined; empty without one."""
        return self._sid

    @property
    def boot_id(self) -> str:
        """What changes each time the device boots."""
        return self._boot

    def boot(self, now: float, reset: str = 'poweron', uptime: float = 0.0) -> None:
        """Boot, as after `reset`: poweron, brownout, panic, wdt or sw; seemingly `uptime` ago."""
        self._performer.cut(now, 'reset')
        self._wire.clear()
        self._begin(now - uptime, reset)
        if reset in ('poweron', 'brownout'):
            self.faults.servo_hung = False  # only that frees the servo bus
        self._next_hello = now
        self._device.torque = False
        self._log.write({'e': 'boot', 'at': now, 'boot': self._boot, 'rst': reset})
        if not self.faults.mute:
            self._wire.write_raw(b'\r\nESP-ROM:esp32s3-20210327\r\nI (312) main: StackChan\r\n\n')

    def receive(self, data: bytes, now: float) -> None:
        """Take what came over the wire."""
        self._device.advance(now)
        for message in self.decoder.feed(data):
            try:
                frame = parse(message, HOST_FRAMES)
            except SchemaError as error:
                self.rejected += 1
                self._refuse(message.get('id'), error.why, now)
                continue
            self.sequence.note(frame.q)
            if isinstance(frame, schema.Stop):
                self._stop(frame, now)
            else:
                self._inbox.append((now, frame))
        self._work(now)

    def step(self, now: float) -> None:
        """Do what is due."""
        self._device.advance(now)
        self._work(now)
        if self._sid and now - self._heard >= _SILENCE:
            self._leave(now, 'silence')
        if not self._sid and now >= self._next_hello:
            self._hello(now)
        if now >= self._next_hb:
            self._next_hb = now + _HB_PERIOD
            self._send('hb', now)
        self._finish(self._performer.step(now), now)
        if heard := self._performer.take_heard():
            self._send('heard', now, {'text': heard})
        for kind, fields in self._telemetry.readings(now):
            self._send(kind, now, fields)
        self._wire.flush(now)

    def due(self) -> float:
        """When :meth:`step` has something to do next."""
        times = [self._next_hb, self._performer.due(), self._telemetry.due(), self._wire.due()]
        times.append(self._heard + _SILENCE if self._sid else self._next_hello)
        if self._inbox:
            times.append(self._inbox[0][0] + self.faults.stall)
        return min(times)

    def counts(self) -> Mapping[str, str]:
        """What it has heard, for the diagnostics."""
        stats = self.decoder.stats
        return {
            'frames': str(stats.frames),
            'bad frames': str(stats.bad_frames),
            'lost frames': str(self.sequence.lost),
        }

    def close(self) -> None:
        """Let go of its files."""
        self.speaker.close()

    def lose_power(self, now: float) -> None:
        """The cable is gone: be silent and still."""
        self._leave(now, 'cable')

    def _send(self, kind: str, now: float, fields: Mapping[str, Any] | None = None) -> None:
        if self.faults.mute:
            return
        self._q = (self._q + 1) % 2**32
        envelope: dict[str, Any] = {'t': kind, 'q': self._q, 'up': self._up(now)}
        if self._sid:
            envelope['sid'] = self._sid
        data = encode(envelope | dict(fields or {}))
        self._wire.write(data, now)

    def _up(self, now: float) -> int:
        return max(0, round(1000.0 * (now - self._booted)))

    def _hello(self, now: float) -> None:
        self._next_hello = now + _HELLO_PERIOD
        self._send('hello', now, self._identity())

    def _identity(self) -> dict[str, Any]:
        proto = (self.faults.major, PROTOCOL[1])
        return identity(self._device, self._config, proto, self._boot, self._reset)

    def _join(self, hello: schema.HostHello, now: float) -> None:
        if hello.proto[0] != self.faults.major:
            self._refuse(None, 'unsupported', now)
            return
        if self._sid and self._sid != hello.sid:
            self._leave(now, 'new session')
        self._sid = hello.sid
        self.faults.rotten_session = False  # a fresh one is sound again
        self._heard = now
        self._next_hb = now + _HB_PERIOD
        # The host may have opened the port after the last hello: all of it once more.
        self._send('welcome', now, self._identity())
        self._telemetry.begin(hello.want, now)
        self._log.write({'e': 'join', 'at': now, 'sid': self._sid})
        self._send('evt', now, {'name': self._performer.screen_event()})

    def _leave(self, now: float, why: str) -> None:
        """Hold still and forget the session: nothing of it may be done later."""
        self._device.freeze()
        self._device.face = 'neutral'
        self._performer.cut(now, why)
        self._inbox.clear()
        self._telemetry.end()
        if self._sid:
            self._log.write({'e': 'leave', 'at': now, 'sid': self._sid, 'why': why})
        self._sid = ''
        self._next_hb = math.inf
        self._next_hello = now
        self._wire.clear()

    def _work(self, now: float) -> None:
        while self._inbox and self._inbox[0][0] + self.faults.stall <= now:
            received, frame = self._inbox.popleft()
            self._handle(frame, now - received, now)

    def _handle(self, frame: schema.Frame, age: float, now: float) -> None:
        if isinstance(frame, schema.HostHello):
            self._join(frame, now)
            return
        id = getattr(frame, 'id', None)
        if self.faults.rotten_session and not isinstance(frame, schema.HostHb):
            return
        if not self._sid or frame.sid != self._sid:
            self._refuse(id, 'stale_session', now)
            return
        self._heard = now
        if isinstance(frame, schema.Pcm):
            self.speaker.take(frame)
        if not isinstance(frame, schema.Command):
            return
        if id is not None and id in self._results:  # it is not done again
            self._ack(id, 'dup', self._results[id].why, now)
            self._tell_end(id, self._results[id], now)
            return
        if age > time_to_live(frame):
            outcome = CommandOutcome('nack', 'expired')
        else:
            self._log.write({'e': 'cmd', 'at': now, 't': frame.t, 'id': id or ''})
            outcome = self._performer.perform(frame, now)
            if isinstance(frame, schema.Spk):
                self.speaker.order(frame)
                if frame.op == 'abort':
                    self._finish(self._performer.cut(now, 'aborted'), now)
        if id is not None:
            self._results[id] = outcome
            self._ack(id, outcome.state, outcome.why, now)
            self._after(id, outcome, now)

    def _after(self, id: str, outcome: CommandOutcome, now: float) -> None:
        for kind, fields in outcome.sends:
            self._send(kind, now, fields)
        if not self.faults.ignore_done:
            self._tell_end(id, outcome, now)

    def _tell_end(self, id: str, outcome: CommandOutcome, now: float) -> None:
        if outcome.done is not None:
            ok, why = outcome.done
            self._send('done', now, {'id': id, 'ok': ok, 'why': why})

    def _stop(self, frame: schema.Stop, now: float) -> None:
        """Freeze and be silent: in any session, before everything else."""
        self._inbox = deque(item for item in self._inbox if not acts(item[1]))
        self._device.freeze()
        self._log.write({'e': 'stop', 'at': now, 'id': frame.id or ''})
        self._finish(self._performer.cut(now, 'stopped'), now)
        if frame.id is not None:
            self._ack(frame.id, 'ok', '', now)

    def _finish(self, ended: Iterable[tuple[str, CommandOutcome]], now: float) -> None:
        for id, outcome in ended:
            if id in self._results:
                self._results[id] = outcome
            self._after(id, outcome, now)

    def _ack(self, id: str, state: str, why: str, now: float) -> None:
        if self.faults.ignore_ack > 0:
            self.faults.ignore_ack -= 1
            return
        self._send('ack', now, {'id': id, 'st': state, 'why': why})

    def _refuse(self, id: Any, why: str, now: float) -> None:
        self._send('ack', now, {'id': shown(id), 'st': 'nack', 'why': why})
