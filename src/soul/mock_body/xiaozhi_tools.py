"""The simulated device's MCP tools: the names and answers of a StackChan's xiaozhi firmware."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from soul.mock_body.degrees import stepped, told
from soul.mock_body.device_tools import DeviceTools
from soul.mock_body.tool_table import Properties, ToolError, number
from soul.wire import schema

AVATARS = {
    'idle': 'neutral', 'happy': 'happy', 'thinking': 'doubt', 'sad': 'sad',
    'surprised': 'surprised', 'embarrassed': 'doubt', 'off': 'neutral',
}  # fmt: skip
_MOUTHS = frozenset({'closed', 'half', 'open', 'e', 'u'})

_RGB = {name: number(0, 255) for name in 'rgb'}
_TEXT = {'type': 'string'}
_ANY = number(-(2**31), 2**31 - 1)

#: Tool -> the capability behind it, and its properties.
_TOOLS: Mapping[str, tuple[str, Properties]] = {
    'self.get_device_status': ('power', {}),
    'self.robot.get_head_angles': ('head', {}),
    'self.robot.set_head_angles': (
        'head', {'yaw': number(-90, 90), 'pitch': _ANY, 'speed_dps': _ANY},
    ),
    'self.robot.set_servo_torque': (
        'torque', {'yaw_enabled': {'type': 'boolean'}, 'pitch_enabled': {'type': 'boolean'}},
    ),
    'self.display.set_avatar': ('face', {'face': _TEXT}),
    'self.display.set_mouth': ('face', {'mouth': _TEXT}),
    'self.led.set_all': ('led', _RGB),
    'self.camera.take_photo': ('cam', {'question': _TEXT}),
    'self.touch.get_touch_state': ('touch', {}),
}  # fmt: skip


class XiaozhiTools(DeviceTools):
    """Carries them out as that firmware does."""

    table = _TOOLS

    def _carry_out(self, name: str, given: Mapping[str, Any], now: float) -> Any:
        method = getattr(self, '_' + name.rsplit('.', 1)[-1])
        try:
            return method(given, now)
        except (KeyError, TypeError, ValueError) as error:  # a ValidationError is one, too
            told = error.errors()[0]['msg'] if isinstance(error, ValidationError) else error
            raise ToolError(f'{name}: {told}') from error

    def _get_device_status(self, given: Mapping[str, Any], now: float) -> Any:
        ((_, power),) = self._telemetry.power(now)
        return {
            'audio_speaker': {'volume': round(100.0 * self._device.volume)},
            'battery': {'level': power['pct'], 'charging': power['chg']},
        }

    def _get_head_angles(self, given: Mapping[str, Any], now: float) -> Any:
        *_, (_, joint) = self._telemetry.joint(now)
        if not joint['ok']:
            return {'yaw': None, 'pitch': None, 'error': 'ReadPos failed'}
        return {'yaw': told(joint['yaw']), 'pitch': told(joint['pitch'])}

    def _set_head_angles(self, given: Mapping[str, Any], now: float) -> Any:
        pitch = min(max(int(given['pitch']), 5), 85)  # what lies beyond is clamped without a word
        wish = schema.Head(
            t='head', q=0, yaw=stepped(float(given['yaw'])), pitch=stepped(pitch),
            dps=float(min(max(int(given['speed_dps']), 1), 1000)),
        )  # fmt: skip
        return self._done(wish, now)

    def _set_servo_torque(self, given: Mapping[str, Any], now: float) -> Any:
        on = bool(given['yaw_enabled']) and bool(given['pitch_enabled'])
        return self._done(schema.Torque(t='torque', q=0, on=on), now)

    def _set_avatar(self, given: Mapping[str, Any], now: float) -> Any:
        face = AVATARS.get(given['face'])
        if face is None:
            return {'ok': False, 'error': f'Unknown face {given["face"]}'}
        return self._done(schema.Face(t='face', q=0, name=face), now)

    def _set_mouth(self, given: Mapping[str, Any], now: float) -> Any:
        if given['mouth'] not in _MOUTHS:
            return {'ok': False, 'error': f'Unknown mouth {given["mouth"]}'}
        self._device.mouth = given['mouth']
        return {'ok': True}

    def _set_all(self, given: Mapping[str, Any], now: float) -> Any:
        self._device.lights = (int(given['r']), int(given['g']), int(given['b']))
        return True

    def _take_photo(self, given: Mapping[str, Any], now: float) -> None:
        self._begin_photo(str(given.get('question', '')))

    def _get_touch_state(self, given: Mapping[str, Any], now: float) -> Any:
        return {f'zone{n}': zone > 0 for n, zone in enumerate(self._device.zones)}

    def _done(self, command: schema.Command, now: float) -> Any:
        outcome = self._performer.perform(command, now)
        if outcome.state == 'nack':
            raise ToolError(outcome.why)
        return {'ok': True}
