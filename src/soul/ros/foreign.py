"""Signals whose ROS message is not ours: sensor_msgs, geometry_msgs, std_msgs, std_srvs."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import KeyValue as RosKeyValue
from geometry_msgs.msg import PointStamped
from sensor_msgs.msg import BatteryState, CompressedImage, JointState
from sensor_msgs.msg import Illuminance as RosIlluminance
from sensor_msgs.msg import Imu as RosImu
from sensor_msgs.msg import Temperature as RosTemperature
from std_msgs.msg import Bool, Int16MultiArray, MultiArrayDimension
from std_srvs.srv import SetBool, Trigger

from soul.ros.times import time_from_ros, time_to_ros
from soul.signals import (
    Battery,
    Illuminance,
    Imu,
    Joints,
    KeyValue,
    Picture,
    Point,
    Screen,
    SetBoolAnswer,
    SetBoolRequest,
    Sound,
    Temperature,
    TriggerAnswer,
    TriggerRequest,
)

#: Frames of the sensors of a body without a description of its own.
BASE_FRAME = 'base_link'
CAMERA_FRAME = 'camera_link'


def _stamp(header: Any, seconds: float, frame_id: str) -> None:
    header.stamp = time_to_ros(seconds)
    header.frame_id = frame_id


def _seconds(header: Any) -> float:
    return time_from_ros(header.stamp)


def write_battery(signal: Battery, message: Any) -> None:
    """Write sensor_msgs/BatteryState."""
    _stamp(message.header, signal.stamp, BASE_FRAME)
    message.voltage = signal.voltage
    message.current = signal.current
    message.percentage = signal.percentage
    for unknown in ('temperature', 'charge', 'capacity', 'design_capacity'):
        setattr(message, unknown, float('nan'))
    message.present = signal.present
    message.power_supply_status = {
        None: BatteryState.POWER_SUPPLY_STATUS_UNKNOWN,
        True: BatteryState.POWER_SUPPLY_STATUS_CHARGING,
        False: BatteryState.POWER_SUPPLY_STATUS_DISCHARGING,
    }[signal.charging]


def read_battery(message: Any) -> Battery:
    """Read sensor_msgs/BatteryState; full on the charger counts as charging."""
    charging = {
        BatteryState.POWER_SUPPLY_STATUS_CHARGING: True,
        BatteryState.POWER_SUPPLY_STATUS_FULL: True,
        BatteryState.POWER_SUPPLY_STATUS_DISCHARGING: False,
        BatteryState.POWER_SUPPLY_STATUS_NOT_CHARGING: False,
    }.get(message.power_supply_status)
    return Battery(
        _seconds(message.header),
        message.voltage,
        message.current,
        message.percentage,
        charging,
        message.present,
    )


def write_temperature(signal: Temperature, message: Any) -> None:
    """Write sensor_msgs/Temperature."""
    _stamp(message.header, signal.stamp, BASE_FRAME)
    message.temperature = signal.celsius


def write_illuminance(signal: Illuminance, message: Any) -> None:
    """Write sensor_msgs/Illuminance."""
    _stamp(message.header, signal.stamp, BASE_FRAME)
    message.illuminance = signal.lux


def write_imu(signal: Imu, message: Any) -> None:
    """Write sensor_msgs/Imu; there is no orientation (REP-145: covariance -1)."""
    _stamp(message.header, signal.stamp, BASE_FRAME)
    message.orientation_covariance[0] = -1.0
    a, g = message.linear_acceleration, message.angular_velocity
    a.x, a.y, a.z = signal.acceleration
    g.x, g.y, g.z = signal.angular_velocity


def read_imu(message: Any) -> Imu:
    """Read sensor_msgs/Imu."""
    a, g = message.linear_acceleration, message.angular_velocity
    return Imu(_seconds(message.header), (a.x, a.y, a.z), (g.x, g.y, g.z))


def write_joints(signal: Joints, message: Any) -> None:
    """Write sensor_msgs/JointState."""
    _stamp(message.header, signal.stamp, '')
    message.name = list(signal.names)
    message.position = list(signal.positions)
    message.velocity = list(signal.velocities)


def write_picture(signal: Picture, message: Any) -> None:
    """Write sensor_msgs/CompressedImage."""
    _stamp(message.header, signal.stamp, signal.frame_id or CAMERA_FRAME)
    message.format = signal.format
    message.data = array('B', signal.data)


def write_point(signal: Point, message: Any) -> None:
    """Write geometry_msgs/PointStamped."""
    _stamp(message.header, signal.stamp, signal.frame_id)
    message.point.x, message.point.y, message.point.z = signal.x, signal.y, signal.z


def write_key_value(signal: KeyValue, message: Any) -> None:
    """Write diagnostic_msgs/KeyValue."""
    message.key, message.value = signal.key, signal.value


def write_sound(signal: Sound, message: Any) -> None:
    """Write std_msgs/Int16MultiArray: one dimension, whose label is the rate, `16000 Hz`."""
    size = len(signal.samples)
    message.layout.dim = [MultiArrayDimension(label=f'{signal.rate} Hz', size=size, stride=size)]
    message.data = array('h', signal.samples)


def read_sound(message: Any) -> Sound:
    """Read std_msgs/Int16MultiArray; without a rate it is 16 kHz."""
    label = message.layout.dim[0].label if message.layout.dim else ''
    number = label.removesuffix(' Hz')
    return Sound(tuple(message.data), int(number) if number.isdecimal() else 16_000)


def _write_success(signal: TriggerAnswer | SetBoolAnswer, message: Any) -> None:
    message.success, message.message = signal.success, signal.message


def _write_nothing(signal: Any, message: Any) -> None:
    pass


def _write_data(signal: SetBoolRequest, message: Any) -> None:
    message.data = signal.data


def _write_screen(signal: Screen, message: Any) -> None:
    message.data = signal.on


CLASSES: dict[type, type] = {
    Battery: BatteryState,
    Illuminance: RosIlluminance,
    Imu: RosImu,
    Joints: JointState,
    KeyValue: RosKeyValue,
    Picture: CompressedImage,
    Point: PointStamped,
    Screen: Bool,
    Sound: Int16MultiArray,
    Temperature: RosTemperature,
    SetBoolAnswer: SetBool.Response,
    SetBoolRequest: SetBool.Request,
    TriggerAnswer: Trigger.Response,
    TriggerRequest: Trigger.Request,
}

SERVICES: dict[type, type] = {
    SetBoolAnswer: SetBool,
    SetBoolRequest: SetBool,
    TriggerAnswer: Trigger,
    TriggerRequest: Trigger,
}

WRITERS: dict[type, Callable[[Any, Any], None]] = {
    Battery: write_battery,
    Illuminance: write_illuminance,
    Imu: write_imu,
    Joints: write_joints,
    KeyValue: write_key_value,
    Picture: write_picture,
    Point: write_point,
    Screen: _write_screen,
    Sound: write_sound,
    Temperature: write_temperature,
    SetBoolAnswer: _write_success,
    SetBoolRequest: _write_data,
    TriggerAnswer: _write_success,
    TriggerRequest: _write_nothing,
}

READERS: dict[type, Callable[[Any], Any]] = {
    Battery: read_battery,
    Illuminance: lambda m: Illuminance(_seconds(m.header), m.illuminance),
    Imu: read_imu,
    Joints: lambda m: Joints(
        _seconds(m.header), tuple(m.name), tuple(m.position), tuple(m.velocity)
    ),
    KeyValue: lambda m: KeyValue(m.key, m.value),
    Picture: lambda m: Picture(_seconds(m.header), m.header.frame_id, m.format, bytes(m.data)),
    Point: lambda m: Point(_seconds(m.header), m.header.frame_id, m.point.x, m.point.y, m.point.z),
    Screen: lambda m: Screen(m.data),
    Sound: read_sound,
    Temperature: lambda m: Temperature(_seconds(m.header), m.temperature),
    SetBoolAnswer: lambda m: SetBoolAnswer(m.success, m.message),
    SetBoolRequest: lambda m: SetBoolRequest(m.data),
    TriggerAnswer: lambda m: TriggerAnswer(m.success, m.message),
    TriggerRequest: lambda m: TriggerRequest(),
}
