"""What the simulated device reports by itself, and how often."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from soul.mock_body.device import Device
from soul.mock_body.faults import Faults
from soul.wire.schema import Want

#: A message without its envelope: its type and its fields.
Reading = tuple[str, Mapping[str, Any]]

_SENTINEL = -1440.0  # what some firmware makes of a failed read, 0.1 degree
_IDLE_MOTION_PERIOD = 5.0
_IDLE_MOTION_DPS = 40.0
_PHANTOM_PERIOD = 7.0


class Telemetry:
    """Schedules the readings that the host wants."""

    def __init__(
        self, device: Device, faults: Faults, caps: Collection[str], rng: random.Random
    ) -> None:
        self._device = device
        self._faults = faults
        self._caps = caps
        self._rng = rng
        self._next: dict[Callable[[float], Iterator[Reading]], float] = {}
        self._period: dict[Callable[[float], Iterator[Reading]], float] = {}
        self._zones = (0, 0, 0)
        self._moving = False
        self._next_idle_motion = math.inf
        self._next_phantom = math.inf

    @property
    def sentinel(self) -> float:
        """What stands for an angle that could not be read, 0.1 degree."""
        return _SENTINEL

    def begin(self, want: Want, now: float) -> None:
        """Report at the rates the host wants, from now on."""
        rates = {
            self.joint: want.joint if 'head' in self._caps else 0.0,
            self._imu: want.imu if 'imu' in self._caps else 0.0,
            self.power: want.power if 'power' in self._caps else 0.0,
            self._env: want.env if 'env' in self._caps else 0.0,
            self._temp: want.env if 'temp' in self._caps else 0.0,
        }
        self._period = {report: 1.0 / rate for report, rate in rates.items() if rate > 0.0}
        self._next = dict.fromkeys(self._period, now)
        self._next_idle_motion = now + _IDLE_MOTION_PERIOD
        self._next_phantom = now + _PHANTOM_PERIOD

    def end(self) -> None:
        """Nobody wants to hear anything any more."""
        self._next = {}
        self._next_idle_motion = self._next_phantom = math.inf

    def due(self) -> float:
        """When there is something to report next."""
        times = [self._device.touch_ends, *self._next.values()]
        if self._faults.idle_motion:
            times.append(self._next_idle_motion)
        if self._faults.phantom_touch:
            times.append(self._next_phantom)
        return min(times)

    def readings(self, now: float) -> Iterator[Reading]:
        """What is to be reported at `now`."""
        self.misbehave(now)
        if not self._next:
            self._zones = self._device.zones
            return
        yield from self._touch()
        for report, at in self._next.items():
            if at <= now:
                # A late step does not make up for the readings it missed.
                self._next[report] = max(at + self._period[report], now)
                yield from report(now)

    def misbehave(self, now: float) -> None:
        """Do what nobody asked for, where a fault says so."""
        if self._faults.idle_motion and now >= self._next_idle_motion:
            self._next_idle_motion = now + self._rng.uniform(4.0, 8.0)
            self._device.aim(
                self._rng.uniform(-300.0, 300.0), self._rng.uniform(300.0, 600.0),
                _IDLE_MOTION_DPS,
            )  # fmt: skip
        if self._faults.phantom_touch and now >= self._next_phantom:
            self._next_phantom = now + _PHANTOM_PERIOD
            self._device.touch((0, 1, 0), 0.1)

    def _touch(self) -> Iterator[Reading]:
        if 'touch' not in self._caps:
            return
        zones = self._device.zones
        if zones != self._zones:
            self._zones = zones
            yield 'touch', {'z': list(zones)}

    def joint(self, now: float) -> Iterator[Reading]:
        """Where the head is, last."""
        device, faults = self._device, self._faults
        if faults.shaken_by_servos and device.moving and not self._moving:
            yield 'evt', {'name': 'shaken'}
        self._moving = device.moving
        yaw: float | None = device.yaw.reading
        pitch: float | None = device.pitch.reading
        ok = True
        if faults.sentinel_reads and self._rng.random() < 0.5:
            yaw = _SENTINEL
        if faults.servo_hung or faults.stuck_reads:
            yaw = pitch = None
            ok = False
        yield 'joint', {
            'yaw': yaw, 'pitch': pitch, 'moving': device.moving, 'torque': device.torque,
            'ok': ok,
        }  # fmt: skip

    def _imu(self, now: float) -> Iterator[Reading]:
        yield (
            'imu',
            {
                'a': [round(value, 4) for value in self._device.acceleration],
                'g': [round(value, 5) for value in self._device.angular_velocity],
            },
        )

    def power(self, now: float) -> Iterator[Reading]:
        """How the battery is."""
        device, faults = self._device, self._faults
        if faults.unknown_power:
            yield 'power', {'mv': None, 'ma': None, 'pct': None, 'chg': None, 'vbus_mv': None}
            return
        charging = device.charging
        if faults.flapping_charger:
            charging = self._rng.random() < 0.5
        yield (
            'power',
            {
                'mv': round(device.battery_mv),
                'ma': round(device.battery_ma),
                'pct': faults.constant_charge or round(100.0 * device.charge, 1),
                'chg': charging,
                'vbus_mv': max(0, round(device.vbus_mv - faults.vbus_sag)),
            },
        )

    def _env(self, now: float) -> Iterator[Reading]:
        lux = None if self._faults.dead_env else round(self._device.lux, 2)
        yield 'env', {'lux': lux, 'prox': None}

    def _temp(self, now: float) -> Iterator[Reading]:
        yield 'temp', {'c': round(self._device.celsius, 2)}
