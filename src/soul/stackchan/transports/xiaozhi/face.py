"""The face of a device: drawn by a tool, or by the emotion of a message, and its lights."""

from __future__ import annotations

from soul.stackchan.transports.xiaozhi.firmware import FirmwareKind
from soul.stackchan.transports.xiaozhi.link import XiaozhiLink
from soul.stackchan.transports.xiaozhi.tool_user import SOON, ToolUser
from soul.stackchan.transports.xiaozhi.tools import Tools

_NEUTRAL = 'neutral'


class ToolFace:
    """Shows the driver's faces as well as a firmware can."""

    def __init__(
        self, tools: Tools, firmware: FirmwareKind, link: XiaozhiLink, user: ToolUser
    ) -> None:
        self._tools = tools
        self._firmware = firmware
        self._link = link
        self._user = user
        self._shown = _NEUTRAL  # by name of the driver
        self._opened: bool | None = False  # the mouth; None: nobody knows

    async def show(self, face: str) -> None:
        """Show a face, and give the lights its colour."""
        self._shown = face
        await self._draw()
        await self._user.use(self._tools.lights, self._tools.light(face))

    async def speech_ended(self) -> None:
        """Draw it again where the end of a speech has wiped it off."""
        if self._firmware.face_ends and self._shown != _NEUTRAL:
            await self._draw()

    async def open_mouth(self, opened: bool) -> None:
        """Open or close the mouth, where there is one; as it is already, it is left alone.

        Speech moves it many times a second, and each call takes the device time.
        """
        if opened is self._opened:
            return
        self._opened = opened
        if not await self._user.use(self._tools.mouth, self._tools.open_mouth(opened), SOON):
            self._opened = None

    async def _draw(self) -> None:
        emotion = self._firmware.emotions.get(self._shown, _NEUTRAL)
        if self._tools.avatar:
            await self._user.use(self._tools.avatar, self._tools.show(self._shown))
        else:
            await self._link.send('llm', emotion=emotion, text='')
