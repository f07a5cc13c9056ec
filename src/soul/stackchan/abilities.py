"""What each capability of a device is good for: what may be asked, and what is published."""

from __future__ import annotations

from collections.abc import Collection

from soul.signals import (
    Battery,
    Illuminance,
    Imu,
    Joints,
    Picture,
    Screen,
    Sound,
    Temperature,
    Touch,
)

#: Which capabilities serve a request (one of them is enough), and what a body lacks without.
_NEEDS = {
    'body/say': (('tts', 'text', 'spk'), 'speak'),
    'body/look_at': (('head',), 'turn its head'),
    'body/capture': (('cam',), 'see'),
    'body/express': (('face',), 'show a face'),
}
#: Topic -> what is said there, and the capability behind it.
_SENSES: dict[str, tuple[type, str]] = {
    'joint_states': (Joints, 'head'),
    'battery_state': (Battery, 'power'),
    'temperature': (Temperature, 'temp'),
    'illuminance': (Illuminance, 'env'),
    'imu/data_raw': (Imu, 'imu'),
    'camera/image_raw/compressed': (Picture, 'cam'),
    'audio': (Sound, 'mic'),
    'screen': (Screen, 'bright'),
    'touch': (Touch, 'touch'),
}
#: Topics that are published only by a body that has what they tell of.
SENSES: dict[str, type] = {topic: said for topic, (said, _) in _SENSES.items()}


def lacking(name: str, capabilities: Collection[str]) -> str:
    """Say what a body cannot do that is asked for `name`; empty if it can."""
    enough, what = _NEEDS[name]
    return '' if any(cap in capabilities for cap in enough) else f'this body cannot {what}'


def topics(capabilities: Collection[str]) -> tuple[str, ...]:
    """Name the topics that a body with these capabilities publishes."""
    return tuple(topic for topic, (_, cap) in _SENSES.items() if cap in capabilities)


def unoffered(signal: object, capabilities: Collection[str]) -> bool:
    """Whether a signal tells of what the body does not claim to have."""
    return any(type(signal) is said and cap not in capabilities for said, cap in _SENSES.values())
