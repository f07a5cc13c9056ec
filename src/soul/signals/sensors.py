"""Readings of any robot's sensors, as much of the sensor_msgs as the body needs."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Battery:
    """sensor_msgs/BatteryState. NaN where the robot does not know."""

    stamp: float = 0.0
    voltage: float = math.nan  # V
    current: float = math.nan  # A, negative while discharging
    percentage: float = math.nan  # 0..1
    charging: bool | None = None  # None: the robot does not say
    present: bool = True


@dataclass(frozen=True, slots=True)
class Temperature:
    """sensor_msgs/Temperature."""

    stamp: float = 0.0
    celsius: float = math.nan


@dataclass(frozen=True, slots=True)
class Illuminance:
    """sensor_msgs/Illuminance."""

    stamp: float = 0.0
    lux: float = math.nan


@dataclass(frozen=True, slots=True)
class Imu:
    """sensor_msgs/Imu without an orientation: x forward, y left, z up."""

    stamp: float = 0.0
    acceleration: tuple[float, float, float] = (math.nan, math.nan, math.nan)  # m/s^2
    angular_velocity: tuple[float, float, float] = (math.nan, math.nan, math.nan)  # rad/s


@dataclass(frozen=True, slots=True)
class Joints:
    """sensor_msgs/JointState."""

    stamp: float = 0.0
    names: tuple[str, ...] = ()
    positions: tuple[float, ...] = ()  # rad
    velocities: tuple[float, ...] = ()  # rad/s; empty where unknown


@dataclass(frozen=True, slots=True)
class Sound:
    """std_msgs/Int16MultiArray: a piece of mono sound, as it comes from a microphone."""

    samples: tuple[int, ...] = ()  # 16 bit
    rate: int = 16_000  # Hz


@dataclass(frozen=True, slots=True)
class Screen:
    """std_msgs/Bool: whether the screen is on."""

    on: bool = False
