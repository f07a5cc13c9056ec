"""What a session tells the driver."""

from __future__ import annotations

from dataclasses import dataclass

from soul.wire.schema import DeviceFrame, DeviceHello


@dataclass(frozen=True)
class Joined:
    """A session has begun; `rebooted` if the device booted since the last one."""

    hello: DeviceHello
    rebooted: bool


@dataclass(frozen=True)
class Foreign:
    """The device speaks another major version of the protocol."""

    hello: DeviceHello


@dataclass(frozen=True)
class Left:
    """A session has ended, or the port could not be used."""

    reason: str
    was_joined: bool


@dataclass(frozen=True)
class Heard:
    """A message of the device."""

    frame: DeviceFrame


@dataclass(frozen=True)
class Answered:
    """What became of a command: ok, clamped, dup, nack, or `unanswered`."""

    id: str
    state: str
    why: str = ''


Event = Joined | Foreign | Left | Heard | Answered
