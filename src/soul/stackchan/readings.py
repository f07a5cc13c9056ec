"""Readings of the body as signals with the time they were taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from soul.signals import Extras, KeyValue, Screen
from soul.stackchan import senses
from soul.stackchan.config import StackChanConfig
from soul.stackchan.device_clock import DeviceClock
from soul.stackchan.transports.events import (
    NOTICED,
    BodyEvent,
    Heard,
    LightRead,
    MotionRead,
    PowerRead,
    SoundHeard,
    TemperatureRead,
    ZonesTouched,
)

_SCREEN = {'screen_on': True, 'screen_off': False}


class Readings:
    """What the body senses, except for where its head is.

    Parameters
    ----------
    stamped
        Turns a time of the organ's clock into one for the stamp of a message.
    """

    def __init__(self, config: StackChanConfig, stamped: Callable[[float], float]) -> None:
        self.gauge = senses.BatteryGauge(config.shed_vbus)
        self.skin = senses.Skin(config)
        self.late = 0.0  # age of the newest reading when it arrived, s
        self._clock = DeviceClock()
        self._stamped = stamped
        self._imu_while_moving = config.imu_while_moving

    def begin(self) -> None:
        """A session has begun."""
        self._clock.reset()
        self.skin.reset()

    def stamp(self, up: int, now: float) -> float:
        """Time at which the body's clock showed `up` ms, for the stamp of a signal."""
        taken = self._clock.stamp(up, now)
        self.late = now - taken
        return self._stamped(taken)

    def take(self, heard: Heard, stamp: float, moving: bool, now: float) -> Iterator[Any]:
        """Take a reading; `moving`: the head turns and shakes the body."""
        match heard.told:
            case MotionRead() as motion:
                if self._imu_while_moving or not moving:
                    yield senses.imu(motion, stamp)
            case PowerRead() as power:
                yield self.gauge.read(power, stamp)
            case LightRead() as light:
                yield from _some(senses.illuminance(light, stamp))
            case TemperatureRead() as temperature:
                yield from _some(senses.temperature(temperature, stamp))
            case SoundHeard() as sound:
                yield senses.sound(sound)
            case ZonesTouched() as touch:
                yield from self.skin.read(touch, heard.up, stamp, now)
            case BodyEvent() as event:
                yield from self.skin.event(event, heard.up, stamp)
                if event.name in _SCREEN:
                    yield Screen(_SCREEN[event.name])
                if event.name in NOTICED:
                    yield Extras(values=(KeyValue('noticed', event.name),))


def _some(signal: Any) -> Iterator[Any]:
    if signal is not None:
        yield signal
