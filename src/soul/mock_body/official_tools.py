"""The tools of M5Stack's own firmware, with its whole degrees and its way to fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from soul.mock_body.degrees import stepped, told
from soul.mock_body.device_tools import DeviceTools
from soul.mock_body.tool_table import Properties, ToolError, arguments, number
from soul.wire import schema

#: What it tells when it could not read where the head is: in range, and true of no safe pose.
FAILED_READ = (-128, 0)

_FASTEST = 240.0  # degrees/s at the greatest speed
_LEAVE = -9999
_LIGHT = number(0, 168, default=0)
#: Tool -> the capability behind it; empty: it is always there. And its properties.
_TOOLS: Mapping[str, tuple[str, Properties]] = {
    'self.get_device_status': ('power', {}),
    'self.audio_speaker.set_volume': ('vol', {'volume': number(0, 100)}),
    'self.screen.set_brightness': ('bright', {'brightness': number(0, 100)}),
    'self.screen.set_theme': ('', {'theme': {'type': 'string'}}),
    'self.camera.take_photo': ('cam', {'question': {'type': 'string'}}),
    'self.robot.get_head_angles': ('head', {}),
    'self.robot.set_head_angles': ('head', {
        'yaw': number(-128, 128, default=_LEAVE), 'pitch': number(0, 90, default=_LEAVE),
        'speed': number(100, 1000, default=150),
    }),
    'self.robot.set_led_color': ('led', dict.fromkeys(('red', 'green', 'blue'), _LIGHT)),
    'self.robot.create_reminder': ('', {
        'duration_seconds': number(1, 86_400), 'message': {'type': 'string'},
        'repeat': {'type': 'boolean', 'default': False},
    }),
    'self.robot.get_reminders': ('', {}),
    'self.robot.stop_reminder': ('', {'id': number(0, 1000)}),
}  # fmt: skip


class OfficialTools(DeviceTools):
    """Carries them out as that firmware does."""

    table = _TOOLS

    def _carry_out(self, name: str, given: Mapping[str, Any], now: float) -> Any:
        method = getattr(self, '_' + name.rsplit('.', 1)[-1], None)
        asked = arguments(self._known[name], given)
        return True if method is None else method(asked, now)

    def _get_device_status(self, asked: Mapping[str, Any], now: float) -> Any:
        ((_, power),) = self._telemetry.power(now)
        return {
            'audio_speaker': {'volume': round(100.0 * self._device.volume)},
            'screen': {'brightness': round(100.0 * self._device.brightness), 'theme': 'light'},
            'battery': {'level': power['pct'], 'charging': power['chg']},
            'network': {'type': 'wifi', 'signal': 'strong'},
        }

    def _set_volume(self, asked: Mapping[str, Any], now: float) -> Any:
        self._device.volume = asked['volume'] / 100.0
        return True

    def _set_brightness(self, asked: Mapping[str, Any], now: float) -> Any:
        self._device.brightness = asked['brightness'] / 100.0
        return True

    def _take_photo(self, asked: Mapping[str, Any], now: float) -> None:
        self._begin_photo(asked['question'])

    def _get_head_angles(self, asked: Mapping[str, Any], now: float) -> Any:
        *_, (_, joint) = self._telemetry.joint(now)
        if not joint['ok'] or joint['yaw'] == self._telemetry.sentinel:
            return dict(zip(('yaw', 'pitch'), FAILED_READ, strict=True))
        return {
            'yaw': told(self._device.yaw.angle), 'pitch': told(self._device.pitch.angle),
        }  # fmt: skip

    def _set_head_angles(self, asked: Mapping[str, Any], now: float) -> Any:
        device = self._device
        yaw = device.yaw.target if asked['yaw'] == _LEAVE else stepped(asked['yaw'])
        pitch = device.pitch.target if asked['pitch'] == _LEAVE else stepped(asked['pitch'])
        wish = schema.Head(
            t='head', q=0, yaw=yaw, pitch=pitch, dps=_FASTEST * asked['speed'] / 1000.0
        )
        outcome = self._performer.perform(wish, now)
        if outcome.state == 'nack':
            raise ToolError(outcome.why)
        return True

    def _set_led_color(self, asked: Mapping[str, Any], now: float) -> Any:
        self._device.lights = (asked['red'], asked['green'], asked['blue'])
        return True

    def _get_reminders(self, asked: Mapping[str, Any], now: float) -> Any:
        return []
