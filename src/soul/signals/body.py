"""What a body senses and what the digital twin makes of it.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from soul.signals.common import KeyValue
from soul.signals.limits import (
    Band4,
    Celsius,
    Kind,
    KnownShare,
    Line,
    Lux,
    Moment,
    Most,
    Name,
    Share,
    Three,
)

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

    stamp: Moment = 0.0
    connected: bool = False
    transport: Kind = ''
    device: Name = ''
    firmware: Name = ''
    boot_id: Name = ''
    reset_cause: Name = ''
    capabilities: Annotated[tuple[Kind, ...], Most(100)] = ()
    detail: Line = ''


@dataclass(frozen=True, slots=True)
class Touch:
    """A touch sensor's reading."""

    stamp: Moment = 0.0
    zones: Annotated[tuple[Share, ...], Most(100)] = ()
    gesture: Kind = ''
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Extras:
    """Anything else a body can sense, as named values (for example a cliff sensor)."""

    stamp: Moment = 0.0
    values: Annotated[tuple[KeyValue, ...], Most(100)] = ()


@dataclass(frozen=True, slots=True)
class BodyState:
    """The digital twin's picture of the body. Latched. A missing sense is unknown, never zero."""

    stamp: Moment = 0.0
    charge: KnownShare = math.nan
    energy: KnownShare = math.nan
    temperature: Celsius = math.nan
    warmth: Band4 = 0
    illuminance: Lux = math.nan
    brightness: Band4 = 0
    still: Three = UNKNOWN
    picked_up: Three = UNKNOWN
    screen_on: Three = UNKNOWN
    charging: Three = UNKNOWN
    connected: Three = UNKNOWN
    online: Three = UNKNOWN
    cpu: KnownShare = math.nan
    memory: KnownShare = math.nan
    disk: KnownShare = math.nan
    feelings: Annotated[tuple[Kind, ...], Most(100)] = ()


@dataclass(frozen=True, slots=True)
class SenseEvent:
    """A change in the body worth noticing."""

    stamp: Moment = 0.0
    id: Name = ''
    kind: Kind = ''
    magnitude: Share = 0.0
    detail: Line = ''
    trusted: bool = True
