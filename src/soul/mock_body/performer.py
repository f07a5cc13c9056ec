"""How the simulated device carries out commands that its firmware has accepted."""

from __future__ import annotations

import base64
import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from soul.core.bounded import BoundedDict
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.device import Device, SpokenText
from soul.mock_body.faults import Faults
from soul.mock_body.picture import draw
from soul.wire import schema

#: Raw bytes of a picture per message: with base64 and envelope well below a frame.
CHUNK = 2400

_FACES = frozenset({'neutral', 'happy', 'sad', 'surprised', 'sleepy', 'angry', 'doubt'})
_DEFAULT_DPS = 120.0
_LARGE = 600.0  # 0.1 degree: a turn worth calling a reversal
_FAST = 100.0  # degrees/s: a turn that is no harm below
_REVERSAL_WINDOW = 2.0
_LOW_CHARGE = 0.02  # below it the servos are not driven any more

#: Which capability a command needs.
_NEEDS = {
    'head': 'head', 'torque': 'torque', 'face': 'face', 'gaze': 'face', 'mouth': 'face',
    'led': 'led', 'say': 'tts', 'spk': 'spk', 'mic': 'mic', 'cam': 'cam', 'vol': 'vol',
    'bright': 'bright',
}  # fmt: skip


@dataclass(frozen=True)
class CommandOutcome:
    """What became of a command: the acknowledgement, what is sent then, and its end."""

    state: str = 'ok'
    why: str = ''
    done: tuple[bool, str] | None = None
    sends: tuple[tuple[str, Mapping[str, Any]], ...] = ()


class UtteranceLog(Protocol):
    """Where utterances are written down before they sound."""

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append an entry to the log of what was spoken."""

    def spoken(self) -> BoundedDict[str, str]:
        """How each remembered utterance ended, by act id."""


class Performer:
    """Carries out the host's commands on the simulated device."""

    def __init__(
        self,
        device: Device,
        config: MockBodyConfig,
        faults: Faults,
        caps: Collection[str],
        log: UtteranceLog,
    ) -> None:
        self._device = device
        self._config = config
        self._faults = faults
        self._caps = caps
        self._log = log
        self._spoken = log.spoken()
        self.heard = ''  # what its microphone takes for somebody's words
        self._pictures = 0
        self._heads: deque[float] = deque(maxlen=16)
        self._turns: deque[tuple[float, float]] = deque(maxlen=16)  # time, signed way

    def perform(self, frame: schema.Command, now: float) -> CommandOutcome:
        """Carry out `frame`."""
        if _NEEDS.get(frame.t, frame.t) not in self._caps:
            return CommandOutcome('nack', 'unsupported')
        match frame:
            case schema.Head():
                return self._head(frame, now)
            case schema.Say():
                return self._say(frame, now)
            case schema.Cam():
                return self._cam(frame)
            case schema.Face():
                if frame.name not in _FACES:
                    return CommandOutcome('nack', 'bad_field')
                self._device.face = frame.name
            case schema.Torque():
                self._device.torque = frame.on
                self._device.freeze()
            case schema.Led():
                red, green, blue = frame.rgb
                self._device.lights = (red, green, blue)
            case schema.Gaze():
                self._device.gaze = (frame.x, frame.y)
            case schema.Mouth():
                self._device.mouth = 'open' if frame.open > 0.0 else 'closed'
            case schema.Vol():
                self._device.volume = frame.v
            case schema.Bright():
                was = self.screen_event()
                self._device.brightness = frame.v
                if self.screen_event() != was:
                    return CommandOutcome(sends=(('evt', {'name': self.screen_event()}),))
        return CommandOutcome()

    def due(self) -> float:
        """When something ends."""
        spoken = self._device.utterance
        return spoken.ends if spoken and not self._faults.ignore_done else math.inf

    def step(self, now: float) -> Iterable[tuple[str, CommandOutcome]]:
        """End what has ended; yields ids and final outcomes."""
        if now >= self.due():
            return self._end(now, True, '')
        return ()

    def cut(self, now: float, why: str) -> Iterable[tuple[str, CommandOutcome]]:
        """Be silent at once."""
        return self._end(now, False, why) if self._device.utterance else ()

    def show(self, id: str, text: str, now: float) -> None:
        """Show words until :meth:`finish`; whoever looks has read them by then."""
        self._log.write({'e': 'say', 'at': now, 'id': id, 'act': '', 'text': text})
        self._device.utterance = SpokenText(id, '', text, now, math.inf)

    def finish(self, now: float) -> None:
        """End what is being said or shown; it has been taken in."""
        if self._device.utterance is not None:
            self._end(now, True, '')

    def take_heard(self) -> str:
        """Take what was heard since it was asked last; empty: nothing."""
        heard, self.heard = self.heard, ''
        return heard

    def screen_event(self) -> str:
        """Name of the event that tells how the screen is."""
        return 'screen_on' if self._device.brightness > 0.0 else 'screen_off'

    def _end(self, now: float, ok: bool, why: str) -> Iterable[tuple[str, CommandOutcome]]:
        spoken = self._device.utterance
        assert spoken is not None
        self._device.utterance = None
        self.heard = spoken.text if self._faults.hears_itself else ''
        if spoken.act:
            self._spoken[spoken.act] = 'done' if ok else 'cut'
        self._log.write({
            'e': 'said', 'at': now, 'id': spoken.id, 'act': spoken.act, 'ok': ok, 'why': why,
        })  # fmt: skip
        return [(spoken.id, CommandOutcome(done=(ok, why)))]

    def _head(self, frame: schema.Head, now: float) -> CommandOutcome:
        device, faults = self._device, self._faults
        if frame.ms:
            way = max(abs(frame.yaw - device.yaw.angle), abs(frame.pitch - device.pitch.angle))
            dps = max(1.0, 100.0 * way / frame.ms)
        else:
            dps = frame.dps or _DEFAULT_DPS
        self._wear(frame, dps, now)
        if faults.servo_hung:
            return CommandOutcome('nack', 'fault')
        if not device.plugged and device.charge <= _LOW_CHARGE:
            return CommandOutcome('nack', 'low_power')
        clamped = device.aim(frame.yaw, frame.pitch, dps)
        return CommandOutcome('clamped', 'limit') if clamped else CommandOutcome()

    def _wear(self, frame: schema.Head, dps: float, now: float) -> None:
        """Let the servos suffer from what users found to break them."""
        faults = self._faults
        self._heads.append(now)
        recent = [at for at in self._heads if now - at < 0.5]
        if faults.protect_above_hz and len(recent) > 0.5 * faults.protect_above_hz + 1:
            self._device.torque = False
            faults.stuck_reads = True
        way = frame.yaw - self._device.yaw.target
        if abs(way) < _LARGE or dps < _FAST:
            return
        if self._turns and (self._turns[-1][1] > 0) is (way > 0):
            self._turns.clear()
        self._turns.append((now, way))
        reversals = sum(now - at < _REVERSAL_WINDOW for at, _ in self._turns)
        if 0 < faults.hang_after_reversals <= reversals:
            faults.servo_hung = True
            self._device.freeze()

    def _say(self, frame: schema.Say, now: float) -> CommandOutcome:
        if frame.act and frame.act in self._spoken:
            # Said before, perhaps in another session or before a boot: never again.
            speaking = self._device.utterance
            if speaking is not None and speaking.act == frame.act:
                return CommandOutcome('dup')
            ended = self._spoken[frame.act]
            return CommandOutcome(
                'dup', done=(ended == 'done', '' if ended == 'done' else 'fault')
            )
        if self._device.utterance is not None:
            return CommandOutcome('nack', 'busy')
        self._log.write({
            'e': 'say', 'at': now, 'id': frame.id, 'act': frame.act, 'text': frame.text,
        })  # fmt: skip
        if frame.act:
            self._spoken[frame.act] = ''
        self._device.speak(frame.id, frame.act, frame.text)
        return CommandOutcome()

    def _cam(self, frame: schema.Cam) -> CommandOutcome:
        self._pictures += 1
        jpeg = draw(self._device, frame.quality)
        pieces = [jpeg[start : start + CHUNK] for start in range(0, len(jpeg), CHUNK)]
        sends = tuple(
            ('jpg', {
                'f': self._pictures, 'k': k, 'n': len(pieces),
                'b64': base64.b64encode(piece).decode(),
            })
            for k, piece in enumerate(pieces)
        )  # fmt: skip
        return CommandOutcome(done=(True, ''), sends=sends)
