"""Messages of the device that are readings, as signals with the time they were taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from soul.signals import Screen
from soul.stackchan import senses
from soul.stackchan.config import StackChanConfig
from soul.stackchan.device_clock import DeviceClock
from soul.wire import schema

_SCREEN = {'screen_on': True, 'screen_off': False}


class Readings:
    """What the body senses, except for where its head is.

    Parameters
    ----------
    stamped
        Turns a time of the organ's clock into one for the stamp of a message.
    """

    def __init__(self, config: StackChanConfig, stamped: Callable[[float], float]) -> None:
        self.gauge = senses.Gauge(config.shed_vbus)
        self.skin = senses.Skin(config)
        self.late = 0.0  # age of the newest reading when it arrived, s
        self._clock = DeviceClock()
        self._stamped = stamped
        self._imu_while_moving = config.imu_while_moving

    def begin(self) -> None:
        """A session has begun."""
        self._clock.reset()
        self.skin.reset()

    def stamp(self, frame: schema.DeviceFrame, now: float) -> float:
        """Time at which a message was sent, for the stamp of a signal."""
        taken = self._clock.stamp(frame.up, now)
        self.late = now - taken
        return self._stamped(taken)

    def take(
        self, frame: schema.DeviceFrame, stamp: float, moving: bool, now: float
    ) -> Iterator[Any]:
        """Take a message; `moving`: the head turns and shakes the body."""
        match frame:
            case schema.ImuFrame():
                if self._imu_while_moving or not moving:
                    yield senses.imu(frame, stamp)
            case schema.Power():
                yield self.gauge.read(frame, stamp)
            case schema.Env():
                yield from _some(senses.illuminance(frame, stamp))
            case schema.Temp():
                yield from _some(senses.temperature(frame, stamp))
            case schema.DevicePcm():
                yield senses.sound(frame)
            case schema.TouchFrame():
                yield from self.skin.read(frame, stamp, now)
            case schema.Evt():
                yield from self.skin.event(frame, stamp)
                if frame.name in _SCREEN:
                    yield Screen(_SCREEN[frame.name])


def _some(signal: Any) -> Iterator[Any]:
    if signal is not None:
        yield signal
