"""M5Stack's own firmware: it asks where to dial, dials when it is woken, and hangs up for good.

It listens from the moment it is woken until the host lets it speak, and again afterwards.
"""

from __future__ import annotations

from collections.abc import Collection

from soul.mock_body.official_tools import OfficialTools
from soul.mock_body.telemetry import Telemetry
from soul.mock_body.tool_server import ToolSet
from soul.mock_body.xiaozhi_firmware import XiaozhiFirmware

WAKE_WORD = 'Hi, StackChan'

#: What `llm` can be there, as faces of this device; any other word is neutral.
EMOTIONS = {
    'neutral': 'neutral', 'happy': 'happy', 'laughing': 'happy', 'angry': 'angry', 'sad': 'sad',
    'crying': 'sad', 'sleepy': 'sleepy', 'doubtful': 'doubt',
}  # fmt: skip
_NOD_DPS = 120.0


class OfficialFirmware(XiaozhiFirmware):
    """The official one; parameters as of the other firmware."""

    def make_tools(self, caps: Collection[str], telemetry: Telemetry) -> ToolSet:
        """Make the tools of this firmware."""
        return OfficialTools(
            self.device, self.faults, caps, self.performer, telemetry, self._mcp.begin_photo
        )

    def joined(self, now: float) -> None:
        """Tell what has woken it, and listen."""
        self.send('listen', state='detect', text=WAKE_WORD)
        self._listen(now)

    def begins_to_speak(self, now: float) -> None:
        """Listen no more."""
        self.microphone.listen(self._config.echo_cancelling, now)

    def fell_silent(self, now: float) -> None:
        """Listen again."""
        self.device.face = 'neutral'
        if self.sid:
            self._listen(now)

    def told_to_listen(self, state: str, now: float) -> None:
        """It decides that by itself."""

    def feel(self, emotion: str, now: float) -> None:
        """Show an emotion; who sleeps lets the head sink."""
        self.device.face = EMOTIONS.get(emotion, 'neutral')
        if emotion == 'sleepy':
            self.device.aim(self.device.yaw.target, 0.0, _NOD_DPS)

    def touched(self, seconds: float, now: float) -> None:
        """It tells nobody; a touch wakes it, or stops what it says."""
        if not self.call:
            self.wake(now)
        else:
            self.press(now)

    def _listen(self, now: float) -> None:
        mode = 'realtime' if self._config.echo_cancelling else 'auto'
        self.send('listen', state='start', mode=mode)
        self.microphone.listen(True, now)
