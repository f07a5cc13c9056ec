"""What a body senses and what the digital twin makes of it.

Units and meanings stand beside the fields as in the soul_msgs interfaces of the same names.
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

    stamp: Moment = 0.0  # s since 1970; node clock
    connected: bool = False  # false: no device, or it has been silent for too long
    transport: Kind = ''  # one of the constants; empty where there is no body
    device: Name = ''  # hardware id of the device (for a StackChan its MAC), empty if unknown
    firmware: Name = ''  # firmware name and version as the device reports it
    boot_id: Name = ''  # changes each time the device boots
    # in the words of the firmware (poweron, brownout, ...); empty if unknown
    reset_cause: Name = ''
    # what the device offers; only these are used
    capabilities: Annotated[tuple[Kind, ...], Most(100)] = ()
    # it has hung up as it does when nobody needs it; it comes when it is woken
    asleep: bool = False
    detail: Line = ''  # a sentence for people: what is connected or why nothing is


@dataclass(frozen=True, slots=True)
class Touch:
    """A touch sensor's reading."""

    stamp: Moment = 0.0  # s since 1970; node clock
    # intensity per zone, 0..1 (0 = untouched), front to back
    zones: Annotated[tuple[Share, ...], Most(100)] = ()
    gesture: Kind = ''  # one of the constants; empty for a plain reading
    # false while phantom touches are likely (shortly after the device's boot)
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Extras:
    """Anything else a body can sense, as named values (for example a cliff sensor)."""

    stamp: Moment = 0.0  # s since 1970; node clock
    values: Annotated[tuple[KeyValue, ...], Most(100)] = ()


@dataclass(frozen=True, slots=True)
class BodyState:
    """The digital twin's picture of the body. Latched. A missing sense is unknown, never zero."""

    stamp: Moment = 0.0  # s since 1970; node clock
    charge: KnownShare = math.nan  # battery, 0..1; NaN unknown
    # how full she feels, 0..1: charge, +0.2 while charging; NaN unknown
    energy: KnownShare = math.nan
    temperature: Celsius = math.nan  # degrees Celsius; NaN unknown
    warmth: Band4 = 0  # band of temperature, with hysteresis
    illuminance: Lux = math.nan  # lux; NaN unknown
    brightness: Band4 = 0  # band of illuminance, with hysteresis
    still: Three = UNKNOWN  # 1 at rest, 0 in motion, -1 unknown
    picked_up: Three = UNKNOWN  # 1 held in somebody's hands, 0 not, -1 unknown
    screen_on: Three = UNKNOWN  # 1, 0, or -1 unknown
    charging: Three = UNKNOWN  # 1, 0, or -1 unknown
    connected: Three = UNKNOWN  # 1 a body is connected, 0 it is lost, -1 there never was one
    online: Three = UNKNOWN  # 1 the host reaches a network, 0 not, -1 unknown
    cpu: KnownShare = math.nan  # host load, 0..1; NaN unknown
    memory: KnownShare = math.nan  # host memory in use, 0..1; NaN unknown
    disk: KnownShare = math.nan  # host storage in use, 0..1; NaN unknown
    # what the body feels, as keys: cold, hot, dark, held, tired, ...
    feelings: Annotated[tuple[Kind, ...], Most(100)] = ()


@dataclass(frozen=True, slots=True)
class SenseEvent:
    """A change in the body worth noticing."""

    stamp: Moment = 0.0  # s since 1970; node clock
    id: Name = ''  # unique
    kind: Kind = ''  # one of the constants, or a new kind by configuration
    magnitude: Share = 0.0  # 0..1, how strong; 0 if it has no strength
    detail: Line = ''  # a few words for people
    trusted: bool = True  # false: the sensor may be wrong (phantom touch)
