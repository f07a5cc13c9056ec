"""The physics of the simulated device: it knows nothing of the wire.

Angles are 0.1 degree as in its firmware, pitch up positive. `now` is the node's clock, s.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from soul.mock_body.config import MockBodyConfig
from soul.mock_body.servo import PERIOD, Servo

YAW_RANGE = (-1280.0, 1280.0)
PITCH_RANGE = (50.0, 850.0)
OFFICIAL_PITCH_RANGE = (0.0, 900.0)
REST_PITCH = 450.0
GRAVITY = 9.81

_DAY = 86_400.0
_LONGEST_CATCH_UP = 10.0  # s of servo loop simulated in one go; afterwards the head has arrived
_BASE_MA = 180.0
_MOVING_MA = 320.0
_SPEAKING_MA = 120.0
_CHARGE_MA = 400.0  # of the charger beyond what the device uses
_HEAT = 0.03  # degrees Celsius per mA of load
_WARMING = 300.0  # s, time constant
_HELD_PERIOD = 0.7  # s, how somebody's hands sway
_PLUGGED_MV = 5050.0
_SAG_PER_MA = 0.35  # mV
_TOUCH_SECONDS = 0.4


@dataclass(frozen=True)
class SpokenText:
    """A text the device is speaking, with when it began and ends."""

    id: str
    act: str
    text: str
    began: float
    ends: float


class Device:
    """A head on two servos, a battery, a face and some sensors."""

    def __init__(self, config: MockBodyConfig, rng: random.Random) -> None:
        self.config = config
        self.yaw = Servo(0.0, *YAW_RANGE, config.servo_stiffness)
        official = config.flavour == 'official'
        pitch_range = OFFICIAL_PITCH_RANGE if official else PITCH_RANGE
        self.pitch = Servo(REST_PITCH, *pitch_range, config.servo_stiffness)
        self.torque = False
        self.charge = config.battery
        self.plugged = config.plugged
        self.celsius = config.ambient + _HEAT * _BASE_MA
        self.held = False
        self.darkened = False
        self.face = 'neutral'
        self.mouth = 'closed'
        self.gaze = (0.0, 0.0)  # where the eyes look: -1..1, to its left and up
        self.lights = (0, 0, 0)  # red, green, blue, each 0..255
        self.volume = 0.6
        self.brightness = 0.8
        self.utterance: SpokenText | None = None
        self._rng = rng
        self._touches: list[tuple[float, tuple[int, int, int]]] = []  # until when, which zones
        self.begin(0.0)

    def begin(self, now: float) -> None:
        """Be switched on: no time has passed before."""
        self._now = self._ticked = self._moved = now

    def advance(self, now: float) -> None:
        """Let the time until `now` pass."""
        elapsed = now - self._now
        if elapsed <= 0.0:
            return
        self._now = now
        load = self.load
        self._turn(now)
        load = 0.5 * (load + self.load)
        if self.plugged:
            flow = _CHARGE_MA if self.charge < 1.0 else 0.0
        else:
            flow = -load
        self.charge += flow * elapsed / 3600.0 / self.config.battery_mah
        self.charge = min(max(self.charge, 0.0), 1.0)
        warm = self.config.ambient + _HEAT * load
        self.celsius += (warm - self.celsius) * -math.expm1(-elapsed / _WARMING)

    def _turn(self, now: float) -> None:
        if now - self._ticked > _LONGEST_CATCH_UP:
            self._ticked = now - _LONGEST_CATCH_UP
        while self._ticked + PERIOD <= now:
            self._ticked += PERIOD
            if not self.torque:
                continue
            if self.moving:
                self._moved = self._ticked
                self.yaw.tick()
                self.pitch.tick()
            elif 0.0 < self.config.torque_release < self._ticked - self._moved:
                self.torque = False

    @property
    def moving(self) -> bool:
        """Whether the head is on its way."""
        return self.torque and (self.yaw.moving or self.pitch.moving)

    @property
    def load(self) -> float:
        """What the device draws, mA."""
        speaking = _SPEAKING_MA if self.utterance else 0.0
        return _BASE_MA + (_MOVING_MA if self.moving else 0.0) + speaking

    def aim(self, yaw: float, pitch: float, dps: float) -> bool:
        """Turn the head at up to `dps` degrees/s; returns whether that was clamped."""
        self.torque = True
        self._moved = self._now
        limit = 10.0 * min(dps, self.config.servo_dps)
        clamped_yaw = self.yaw.aim(yaw, limit)
        clamped_pitch = self.pitch.aim(pitch, limit)
        return clamped_yaw or clamped_pitch

    def freeze(self) -> None:
        """Hold the head where it is."""
        self.yaw.freeze()
        self.pitch.freeze()

    def speak(self, id: str, act: str, text: str) -> SpokenText:
        """Begin to speak a text; its length gives how long it lasts."""
        seconds = self.config.speech_pause + len(text) / self.config.speech_rate
        self.utterance = SpokenText(id, act, text, self._now, self._now + seconds)
        return self.utterance

    def touch(self, zones: tuple[int, int, int], seconds: float = _TOUCH_SECONDS) -> None:
        """Be touched for a while."""
        self._touches.append((self._now + seconds, zones))

    @property
    def zones(self) -> tuple[int, int, int]:
        """Intensity of touch per zone, 0..3."""
        self._touches = [touch for touch in self._touches if touch[0] > self._now]
        first, second, third = 0, 0, 0
        for _, (a, b, c) in self._touches:
            first, second, third = max(first, a), max(second, b), max(third, c)
        return first, second, third

    @property
    def touch_ends(self) -> float:
        """When a touch ends next; inf if there is none."""
        return min((until for until, _ in self._touches), default=math.inf)

    def _noise(self, sigma: float) -> float:
        return self._rng.gauss(0.0, sigma * self.config.noise) if self.config.noise else 0.0

    @property
    def lux(self) -> float:
        """Light that falls on it: a day of light, a night, and the hand before its eye."""
        if self.darkened:
            return 0.3
        hour = self._now % _DAY / 3600.0
        dawn, dusk = self.config.dawn, self.config.dusk
        day = math.sin(math.pi * (hour - dawn) / (dusk - dawn)) if dawn < hour < dusk else 0.0
        light = self.config.night_lux + (self.config.day_lux - self.config.night_lux) * day
        return max(0.0, light * (1.0 + self._noise(0.01)))

    @property
    def acceleration(self) -> tuple[float, float, float]:
        """Acceleration with gravity, m/s^2, x forward, y left, z up."""
        sway = self._sway()
        return (
            2.5 * sway + self._noise(0.02),
            1.5 * sway + self._noise(0.02),
            GRAVITY + 2.0 * sway + self._noise(0.02),
        )

    @property
    def angular_velocity(self) -> tuple[float, float, float]:
        """Angular velocity, rad/s."""
        sway = self._sway()
        return 0.8 * sway + self._noise(0.002), 0.6 * sway + self._noise(0.002), 0.4 * sway

    def _sway(self) -> float:
        if not self.held:
            return 0.0
        return math.sin(2.0 * math.pi * (self._now % _HELD_PERIOD) / _HELD_PERIOD + 0.5)

    @property
    def battery_mv(self) -> float:
        """Voltage of the battery, mV."""
        return 3300.0 + 880.0 * self.charge

    @property
    def battery_ma(self) -> float:
        """Current of the battery, mA, negative while discharging."""
        if self.plugged:
            return _CHARGE_MA if self.charge < 1.0 else 0.0
        return -self.load

    @property
    def charging(self) -> bool:
        """Whether the charger fills the battery."""
        return self.plugged and self.charge < 1.0

    @property
    def vbus_mv(self) -> float:
        """Voltage of the supply, mV; it sags under load."""
        return _PLUGGED_MV - _SAG_PER_MA * (self.load - _BASE_MA) if self.plugged else 0.0
