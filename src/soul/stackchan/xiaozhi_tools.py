"""What a device's MCP tools are good for: names and units differ between firmwares.

Only what `tools/list` names is used. The arguments follow each tool's own schema.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from soul.wire import schema

#: Faces of the driver -> emotions that the firmware draws.
EMOTIONS = {
    'neutral': 'neutral', 'happy': 'happy', 'sad': 'sad', 'surprised': 'surprised',
    'sleepy': 'sleepy', 'angry': 'angry', 'doubt': 'thinking',
}  # fmt: skip
_FASTEST_DPS = 240.0


class Tools:
    """The tools of one device."""

    def __init__(self, tools: Mapping[str, Mapping[str, Any]]) -> None:
        self._tools = tools
        self.read_head = self._named('get_head_angles')
        self.turn_head = self._named('set_head_angles')
        self.torque = self._named('set_servo_torque')

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What the driver may ask for; words and faces need no tool."""
        found = ['tts', 'face', 'touch']
        if self.read_head and self.turn_head:
            found.append('head')
        if self.torque and self._switch(self.torque):
            found.append('torque')
        return tuple(found)

    @property
    def limits(self) -> schema.Limits:
        """How far the head may turn, as far as the device says; never beyond the safe range."""
        yaw = self._range(self.turn_head, 'yaw', -128.0, 128.0)
        pitch = self._range(self.turn_head, 'pitch', 5.0, 85.0)
        return schema.Limits(
            yaw=(10.0 * yaw[0], 10.0 * yaw[1]), pitch=(10.0 * pitch[0], 10.0 * pitch[1]),
            dps=_FASTEST_DPS, head_hz=20.0,
        )  # fmt: skip

    def turn(self, head: schema.Head) -> dict[str, Any]:
        """Arguments that turn the head; whole degrees."""
        known = self._properties(self.turn_head)
        arguments: dict[str, Any] = {
            'yaw': round(head.yaw / 10.0),
            'pitch': round(head.pitch / 10.0),
        }
        dps = head.dps or _FASTEST_DPS
        if 'speed_dps' in known:
            arguments['speed_dps'] = max(1, round(dps))
        elif 'speed' in known:  # of 1000
            low, high = self._range(self.turn_head, 'speed', 100.0, 1000.0)
            arguments['speed'] = round(min(high, max(low, 1000.0 * dps / _FASTEST_DPS)))
        return arguments

    def hold(self, on: bool) -> dict[str, Any]:
        """Arguments that switch the torque."""
        return {self._switch(self.torque): on}

    def _named(self, end: str) -> str:
        return next((name for name in self._tools if name.split('.')[-1] == end), '')

    def _properties(self, tool: str) -> Mapping[str, Any]:
        given = self._tools.get(tool, {}).get('inputSchema')
        found = given.get('properties') if isinstance(given, dict) else None
        return found if isinstance(found, dict) else {}

    def _range(self, tool: str, name: str, low: float, high: float) -> tuple[float, float]:
        given = self._properties(tool).get(name)
        if not isinstance(given, dict):
            return low, high
        lowest, highest = given.get('minimum', low), given.get('maximum', high)
        if not all(isinstance(x, int | float) and math.isfinite(x) for x in (lowest, highest)):
            return low, high
        return max(low, float(lowest)), min(high, float(highest))

    def _switch(self, tool: str) -> str:
        known = self._properties(tool)
        return next(
            (n for n, g in known.items() if isinstance(g, dict) and g.get('type') == 'boolean'), ''
        )


def angles(text: str) -> tuple[float, float] | None:
    """Yaw and pitch of a tool's answer, degrees; None if it has none."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    pair = [found.get('yaw'), found.get('pitch')]
    numbers = [float(a) for a in pair if isinstance(a, int | float) and not isinstance(a, bool)]
    if len(numbers) != 2 or not all(math.isfinite(a) for a in numbers):
        return None
    return numbers[0], numbers[1]
