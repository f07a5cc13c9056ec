"""What a device behind soul-serial says of itself, and has to know of a command."""

from __future__ import annotations

from typing import Any

from soul.mock_body.config import MockBodyConfig
from soul.mock_body.device import Device
from soul.wire import schema

_TTL_MOTION, _TTL = 0.5, 2.0  # s


def shown(id: Any) -> str:
    """Return an id as it can be answered; empty: it is none."""
    return id if isinstance(id, str) and len(id) <= 16 and id.isprintable() else ''


def time_to_live(frame: schema.Command) -> float:
    """Return how old a command may be when it is done, s."""
    if frame.ttl is not None:
        return frame.ttl / 1000.0
    return _TTL_MOTION if isinstance(frame, schema.Head | schema.Gaze) else _TTL


def acts(frame: schema.Frame) -> bool:
    """Whether a message asks for something that a stop ends."""
    return not isinstance(frame, schema.HostHello | schema.HostHb)


def identity(
    device: Device, config: MockBodyConfig, proto: tuple[int, int], boot: str, reset: str
) -> dict[str, Any]:
    """Return what it says of itself in `hello` and `welcome`."""
    return {
        'proto': list(proto), 'fw': 'soul-mock 1.0', 'hw': 'k151', 'uid': config.uid,
        'boot': boot, 'rst': reset, 'caps': config.capabilities,
        'lim': {
            'yaw': [device.yaw.low, device.yaw.high],
            'pitch': [device.pitch.low, device.pitch.high],
            'dps': config.servo_dps, 'head_hz': 20,
        },
    }  # fmt: skip
