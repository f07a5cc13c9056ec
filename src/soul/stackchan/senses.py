"""Readings of the device as signals, cleaned of what firmware is known to get wrong."""

from __future__ import annotations

import math
import statistics
import sys
from array import array
from collections import deque

from soul.signals import Battery, Illuminance, Imu, Sound, Temperature, Touch
from soul.stackchan.config import StackChanConfig
from soul.stackchan.transports.events import (
    BodyEvent,
    LightRead,
    MotionRead,
    PowerRead,
    SoundHeard,
    TemperatureRead,
    ZonesTouched,
)

_MEDIAN_OF = 5
_STEADY = 3  # reports after which a new charging flag is believed
_LOWEST_MV, _HIGHEST_MV = 2500.0, 5000.0
_STUCK_AFTER = 120  # equal percentages in a row ...
_STUCK_SPREAD = 120.0  # ... while the voltage moved that much: the gauge is no gauge, mV
_SHED_HYSTERESIS = 0.05  # V
_GESTURES = frozenset({'press', 'release', 'swipe', 'swipe_left', 'swipe_right', 'tap', 'stroke'})


class BatteryGauge:
    """Charge and supply of the device's battery, from its reports."""

    def __init__(self, shed_vbus: float) -> None:
        self.last = Battery()  # newest report; all unknown before
        self.vbus = math.nan  # V; NaN unknown, or no supply
        self.low_supply = False
        self.stuck = False  # the percentage never changes, so it is none
        self._shed_vbus = shed_vbus
        self._percentages: deque[float] = deque(maxlen=_MEDIAN_OF)
        self._voltages: deque[float] = deque(maxlen=_STUCK_AFTER)
        self._equal = 0
        self._last = math.nan
        self._charging: bool | None = None
        self._against = 0

    def read(self, power: PowerRead, stamp: float) -> Battery:
        """Take a report."""
        self._supply(power.supply_millivolts)
        voltage = _within(power.millivolts, _LOWEST_MV, _HIGHEST_MV) / 1000.0
        current = (power.milliamperes if power.milliamperes is not None else math.nan) / 1000.0
        self.last = Battery(
            stamp=stamp,
            voltage=voltage,
            current=current,
            percentage=self._percentage(_within(power.percent, 0.0, 100.0), voltage),
            charging=self._flag(power.charging),
        )
        return self.last

    def _supply(self, vbus_mv: float | None) -> None:
        if vbus_mv is None or vbus_mv < 1000.0:  # on battery nothing can sag
            self.vbus, self.low_supply = math.nan, False
            return
        self.vbus = vbus_mv / 1000.0
        floor = self._shed_vbus + (_SHED_HYSTERESIS if self.low_supply else 0.0)
        self.low_supply = self.vbus < floor

    def _percentage(self, pct: float, voltage: float) -> float:
        if math.isnan(pct):
            return math.nan
        self._equal = self._equal + 1 if pct == self._last else 0
        if self._equal == 0:
            self.stuck = False
            self._voltages.clear()
        self._last = pct
        if not math.isnan(voltage):
            self._voltages.append(1000.0 * voltage)
        if self._equal >= _STUCK_AFTER and self._voltages:
            spread = max(self._voltages) - min(self._voltages)
            self.stuck = self.stuck or spread >= _STUCK_SPREAD
        if self.stuck:
            return math.nan
        self._percentages.append(pct / 100.0)
        return statistics.median(self._percentages)

    def _flag(self, charging: bool | None) -> bool | None:
        if charging is None:
            self._charging, self._against = None, 0
            return None
        if self._charging is None or charging == self._charging:
            self._charging, self._against = charging, 0
            return charging
        self._against += 1
        if self._against >= _STEADY:
            self._charging, self._against = charging, 0
        return self._charging


class Skin:
    """Touch: bounces merged, and not trusted shortly after a boot."""

    def __init__(self, config: StackChanConfig) -> None:
        self._settle = config.touch_settle
        self._bounce = config.touch_bounce
        self._zones = (0.0, 0.0, 0.0)
        self._released = -math.inf  # when a release began that may be a bounce
        self._pending: Touch | None = None

    def read(self, touch: ZonesTouched, up: int, stamp: float, now: float) -> list[Touch]:
        """Take a reading, `up` ms after the boot; returns what is to be said at once."""
        zones = (touch.zones[0] / 3.0, touch.zones[1] / 3.0, touch.zones[2] / 3.0)
        pressed, was = any(zones), any(self._zones)
        self._zones = zones
        trusted = self._trusted(up)
        if was and not pressed:
            self._released = now
            self._pending = Touch(stamp, zones, 'release', trusted)
            return []
        if pressed and self._pending is not None:
            self._pending = None
            return [Touch(stamp, zones, '', trusted)]
        return [Touch(stamp, zones, 'press' if pressed and not was else '', trusted)]

    def event(self, event: BodyEvent, up: int, stamp: float) -> list[Touch]:
        """Take a gesture that the device has recognised."""
        if event.name not in _GESTURES:
            return []
        return [Touch(stamp, self._zones, event.name, self._trusted(up))]

    def due(self) -> float:
        """When a release is certain."""
        return self._released + self._bounce if self._pending else math.inf

    def step(self, now: float) -> list[Touch]:
        """Say a release that was no bounce."""
        if self._pending is None or now < self.due():
            return []
        pending, self._pending = self._pending, None
        return [pending]

    def reset(self) -> None:
        """A session has begun."""
        self._zones = (0.0, 0.0, 0.0)
        self._pending = None

    def _trusted(self, up: int) -> bool:
        return up / 1000.0 >= self._settle


def illuminance(light: LightRead, stamp: float) -> Illuminance | None:
    """Light; None where the chip does not answer."""
    return None if light.lux is None or light.lux < 0.0 else Illuminance(stamp, light.lux)


def temperature(read: TemperatureRead, stamp: float) -> Temperature | None:
    """Temperature; None where there is none to believe."""
    celsius = _within(read.celsius, -40.0, 125.0)
    return None if math.isnan(celsius) else Temperature(stamp, celsius)


def sound(heard: SoundHeard) -> Sound:
    """What the microphone hears; half a sample at the end is none."""
    samples = array('h')
    samples.frombytes(heard.samples[: len(heard.samples) // 2 * 2])
    if sys.byteorder == 'big':
        samples.byteswap()
    return Sound(tuple(samples), heard.rate)


def imu(motion: MotionRead, stamp: float) -> Imu:
    """The newest motion reading."""
    return Imu(stamp, motion.acceleration, motion.angular_velocity)


def _within(value: float | None, low: float, high: float) -> float:
    return value if value is not None and low <= value <= high else math.nan
