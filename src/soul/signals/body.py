"""What a body senses and what the digital twin makes of it.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from soul.signals.common import KeyValue

#: A sense that is missing; for the three-valued fields of :class:`BodyState`.
UNKNOWN = -1
NO = 0
YES = 1


class Band:
    """Bands of warmth and brightness in :class:`BodyState`."""

    BAND_UNKNOWN = 0
    COLD = 1
    COMFORTABLE = 2
    WARM = 3
    HOT = 4
    DARK = 1
    DIM = 2
    BRIGHT = 3
    GLARING = 4


class SenseKind:
    """Kinds of :class:`SenseEvent`."""

    PLUGGED = 'plugged'
    UNPLUGGED = 'unplugged'
    LIGHT = 'light'
    MOVED = 'moved'
    PICKED_UP = 'picked_up'
    HOT = 'hot'
    LOW_BATTERY = 'low_battery'
    SCREEN_ON = 'screen_on'
    SCREEN_OFF = 'screen_off'
    ONLINE = 'online'
    OFFLINE = 'offline'
    TOUCHED = 'touched'
    BODY_LOST = 'body_lost'
    BODY_BACK = 'body_back'


@dataclass(frozen=True, slots=True)
class Connection:
    """Whether a body is on the other end of the wire, and which one. Latched by the driver."""

    stamp: float = 0.0
    connected: bool = False
    transport: str = ''
    device: str = ''
    firmware: str = ''
    boot_id: str = ''
    reset_cause: str = ''
    capabilities: tuple[str, ...] = ()
    detail: str = ''


@dataclass(frozen=True, slots=True)
class Touch:
    """A touch sensor's reading."""

    stamp: float = 0.0
    zones: tuple[float, ...] = ()
    gesture: str = ''
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Extras:
    """Anything else a body can sense, as named values (for example a cliff sensor)."""

    stamp: float = 0.0
    values: tuple[KeyValue, ...] = ()


@dataclass(frozen=True, slots=True)
class BodyState:
    """The digital twin's picture of the body. Latched. A missing sense is unknown, never zero."""

    stamp: float = 0.0
    charge: float = math.nan
    energy: float = math.nan
    temperature: float = math.nan
    warmth: int = 0
    illuminance: float = math.nan
    brightness: int = 0
    still: int = UNKNOWN
    picked_up: int = UNKNOWN
    screen_on: int = UNKNOWN
    charging: int = UNKNOWN
    connected: int = UNKNOWN
    online: int = UNKNOWN
    cpu: float = math.nan
    memory: float = math.nan
    disk: float = math.nan
    feelings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SenseEvent:
    """A change in the body worth noticing."""

    stamp: float = 0.0
    id: str = ''
    kind: str = ''
    magnitude: float = 0.0
    detail: str = ''
    trusted: bool = True
