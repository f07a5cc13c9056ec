"""What a device's MCP tools are good for: names and units differ between firmwares.

Only what `tools/list` names is used. The arguments follow each tool's own schema.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from soul.stackchan.faces import COLOURS
from soul.stackchan.transports.commands import HeadCommand
from soul.stackchan.transports.events import HeadLimits
from soul.stackchan.transports.xiaozhi.faces import AVATARS
from soul.text.json_object import json_object

_FASTEST_DPS = 240.0
#: Angles are whole degrees there and back, 0.1 degree; the way back cuts off what is left.
_DEGREE = 10.0
_LIGHTS = ('red', 'green', 'blue')

Arguments = dict[str, Any]


class Tools:
    """The tools of one device."""

    def __init__(self, tools: Mapping[str, Mapping[str, Any]]) -> None:
        self._tools = tools
        self.read_head = self._named('get_head_angles')
        self.turn_head = self._named('set_head_angles')
        self.torque = self._named('set_servo_torque')
        self.photo = self._named('take_photo')
        self.avatar = self._named('set_avatar')
        self.mouth = self._named('set_mouth')
        self.lights = self._named('set_led_color') or self._named('set_all')
        self.status = self._named('get_device_status')
        self.volume = self._named('set_volume')
        self.brightness = self._named('set_brightness')
        self.touch = next((name for name in tools if '.touch.' in name), '')

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What the driver may ask for; words and faces need no tool."""
        found = ['text', 'face']
        if self.touch or self.avatar:  # a firmware with its own faces tells of touches, too
            found.append('touch')
        if self.mouth:
            found.append('mouth')
        if self.volume:
            found.append('vol')
        if self.brightness:
            found.append('backlight')
        if self.read_head and self.turn_head:
            found.append('head')
        if self.torque and self._of_type(self.torque, 'boolean'):
            found.append('torque')
        if self.photo:
            found.append('cam')
        if self.status:
            found.append('power')
        return tuple(found)

    @property
    def witness(self) -> str:
        """A tool that changes nothing: that it answers shows that its firmware works."""
        return self.status or self.read_head

    @property
    def limits(self) -> HeadLimits:
        """How far the head may turn, as far as the device says; never beyond the safe range."""
        yaw = self._range(self.turn_head, 'yaw', -128.0, 128.0)
        pitch = self._range(self.turn_head, 'pitch', 5.0, 85.0)
        return HeadLimits(
            yaw=(10.0 * yaw[0], 10.0 * yaw[1]), pitch=(10.0 * pitch[0], 10.0 * pitch[1]),
            dps=_FASTEST_DPS, head_hz=20.0, step=_DEGREE,
            plans=bool(self._speed),
        )  # fmt: skip

    @property
    def _speed(self) -> str:
        """Name of the argument that says how fast the head turns; empty: there is none."""
        known = self._properties(self.turn_head)
        return next((name for name in ('speed_dps', 'speed') if name in known), '')

    def turn(self, head: HeadCommand) -> Arguments:
        """Arguments that turn the head; whole degrees."""
        arguments: Arguments = {
            'yaw': round(head.yaw / 10.0),
            'pitch': round(head.pitch / 10.0),
        }
        dps = head.dps or _FASTEST_DPS
        if self._speed == 'speed_dps':
            arguments['speed_dps'] = max(1, round(dps))
        elif self._speed:  # of 1000
            low, high = self._range(self.turn_head, 'speed', 100.0, 1000.0)
            arguments['speed'] = round(min(high, max(low, 1000.0 * dps / _FASTEST_DPS)))
        return arguments

    def hold(self, on: bool) -> Arguments:
        """Arguments that switch the torque of every servo that can be switched."""
        return dict.fromkeys(self._of_type(self.torque, 'boolean'), on)

    def look(self, question: str) -> Arguments:
        """Arguments that take a photo; some firmwares want to know what for."""
        return dict.fromkeys(
            self._of_type(self.photo, 'string'), question or 'What is to be seen?'
        )

    def show(self, face: str) -> Arguments:
        """Arguments that draw a face."""
        return self._word(self.avatar, 'face', AVATARS.get(face, 'idle'))

    def open_mouth(self, opened: bool) -> Arguments:
        """Arguments that open or close the mouth."""
        return self._word(self.mouth, 'mouth', 'open' if opened else 'closed')

    def light(self, face: str) -> Arguments:
        """Arguments that give all lights the colour of a face."""
        arguments: Arguments = {}
        known = self._properties(self.lights)
        for colour, share in zip(_LIGHTS, COLOURS.get(face, (0.0, 0.0, 0.0)), strict=True):
            # One firmware calls them by a letter, another by the whole word.
            name = colour if colour in known else colour[0]
            low, high = self._range(self.lights, name, 0.0, 255.0)
            arguments[name] = round(low + share * (high - low))
        return arguments

    def loudness(self, share: float) -> Arguments:
        """Arguments that set the volume, 0..1."""
        return self._amount(self.volume, 'volume', share)

    def light_up(self, share: float) -> Arguments:
        """Arguments that set the brightness of the screen, 0..1."""
        return self._amount(self.brightness, 'brightness', share)

    # --- schemas --------------------------------------------------------------------------

    def _named(self, end: str) -> str:
        return next((name for name in self._tools if name.split('.')[-1] == end), '')

    def _properties(self, tool: str) -> Mapping[str, Any]:
        given = self._tools.get(tool, {}).get('inputSchema')
        found = given.get('properties') if isinstance(given, dict) else None
        return found if isinstance(found, dict) else {}

    def _of_type(self, tool: str, kind: str) -> list[str]:
        known = self._properties(tool)
        return [n for n, g in known.items() if isinstance(g, dict) and g.get('type') == kind]

    def _word(self, tool: str, usual: str, word: str) -> Arguments:
        names = self._of_type(tool, 'string')
        return {names[0] if names else usual: word}

    def _amount(self, tool: str, usual: str, share: float) -> Arguments:
        low, high = self._range(tool, usual, 0.0, 100.0)
        return {usual: round(low + share * (high - low))}

    def _range(self, tool: str, name: str, low: float, high: float) -> tuple[float, float]:
        """The range of a property within `low` and `high`; those where it makes no sense."""
        given = self._properties(tool).get(name)
        if not isinstance(given, dict):
            return low, high
        lowest, highest = given.get('minimum', low), given.get('maximum', high)
        if not all(
            isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x)
            for x in (lowest, highest)
        ):
            return low, high
        lowest, highest = max(low, float(lowest)), min(high, float(highest))
        return (lowest, highest) if lowest <= highest else (low, high)


def angles(text: str, failed: tuple[float, float] | None = None) -> tuple[float, float] | None:
    """Yaw and pitch of a tool's answer, degrees; None if it has none.

    Parameters
    ----------
    failed
        What it answers where it could not read them.
    """
    found = _object(text)
    yaw, pitch = _number(found.get('yaw')), _number(found.get('pitch'))
    return None if yaw is None or pitch is None or (yaw, pitch) == failed else (yaw, pitch)


def battery(text: str) -> tuple[float | None, bool | None]:
    """Charge in percent and whether it is charging, of a tool's answer; None is unknown."""
    found = _object(text).get('battery')
    if not isinstance(found, dict):
        return None, None
    level, charging = _number(found.get('level')), found.get('charging')
    known = level is not None and 0.0 <= level <= 100.0
    return level if known else None, charging if isinstance(charging, bool) else None


def failure(text: str) -> str:
    """Why a tool says that it failed although it answered; empty if it does not."""
    found = _object(text)
    if found.get('ok') is not False:
        return ''
    return str(found.get('error') or 'it failed')


def told(text: str) -> str:
    """What a device says about a photo, in words."""
    found = _object(text)
    said = found.get('response') or found.get('text')
    return said if isinstance(said, str) else '' if found else text


def _object(text: str) -> Mapping[str, Any]:
    return json_object(text) or {}


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # An integer of JSON may be larger than any float.
    return float(value) if abs(value) < 1e9 else None
