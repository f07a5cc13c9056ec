"""Readings of any robot's sensors, as much of the sensor_msgs as the body needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from soul.signals.limits import Celsius, Lux, Moment, Most, Name, Reading, Within


@dataclass(frozen=True, slots=True)
class Battery:
    """sensor_msgs/BatteryState. NaN where the robot does not know."""

    stamp: Moment = 0.0
    voltage: Reading = math.nan  # V
    current: Reading = math.nan  # A, negative while discharging
    percentage: Reading = math.nan  # 0..1
    charging: bool | None = None  # None: the robot does not say
    present: bool = True


@dataclass(frozen=True, slots=True)
class Temperature:
    """sensor_msgs/Temperature."""

    stamp: Moment = 0.0
    celsius: Celsius = math.nan


@dataclass(frozen=True, slots=True)
class Illuminance:
    """sensor_msgs/Illuminance."""

    stamp: Moment = 0.0
    lux: Lux = math.nan


@dataclass(frozen=True, slots=True)
class Imu:
    """sensor_msgs/Imu without an orientation: x forward, y left, z up."""

    stamp: Moment = 0.0
    acceleration: tuple[Reading, Reading, Reading] = (math.nan, math.nan, math.nan)  # m/s^2
    angular_velocity: tuple[Reading, Reading, Reading] = (math.nan, math.nan, math.nan)  # rad/s


@dataclass(frozen=True, slots=True)
class Joints:
    """sensor_msgs/JointState."""

    stamp: Moment = 0.0
    names: Annotated[tuple[Name, ...], Most(1000)] = ()
    positions: Annotated[tuple[Reading, ...], Most(1000)] = ()  # rad
    velocities: Annotated[tuple[Reading, ...], Most(1000)] = ()  # rad/s; empty where unknown


@dataclass(frozen=True, slots=True)
class Sound:
    """std_msgs/Int16MultiArray: a piece of mono sound, as it comes from a microphone."""

    samples: Annotated[tuple[int, ...], Most(2_000_000)] = ()  # 16 bit
    rate: Annotated[int, Within(1, 1_000_000)] = 16_000  # Hz


@dataclass(frozen=True, slots=True)
class Screen:
    """std_msgs/Bool: whether the screen is on."""

    on: bool = False
