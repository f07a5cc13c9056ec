"""The head of a device with tools: where it is, and where it is to go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from soul.stackchan.transports.commands import HeadCommand
from soul.stackchan.transports.events import HeadRead, Told
from soul.stackchan.transports.xiaozhi.firmware import FirmwareKind
from soul.stackchan.transports.xiaozhi.mcp import ToolClient, ToolFailed
from soul.stackchan.transports.xiaozhi.tool_user import SOON, ToolUser
from soul.stackchan.transports.xiaozhi.tools import Tools, angles

_POLL = 0.2  # s between two readings of the head
_MOVED = 0.5  # degrees between two readings: it moves


class ToolHead:
    """Follows it and turns it.

    Attributes
    ----------
    torque
        Whether its servos hold it, as far as is known.
    """

    def __init__(
        self,
        tools: Tools,
        firmware: FirmwareKind,
        client: ToolClient,
        user: ToolUser,
        tell: Callable[[Told], None],
    ) -> None:
        self.torque = True
        self._tools = tools
        self._failed_read = firmware.failed_read
        self._client = client
        self._user = user
        self._tell = tell
        self._turn: HeadCommand | None = None  # the newest wish
        self._wished = asyncio.Event()
        self._pose: tuple[float, float] | None = None  # degrees

    def aim(self, command: HeadCommand) -> None:
        """Wish for a turn; only the newest wish is sent."""
        self._turn = command
        self._wished.set()

    async def freeze(self) -> None:
        """Stay where it is."""
        self._turn = None
        if self._pose is not None and self._tools.turn_head:
            here = HeadCommand(10.0 * self._pose[0], 10.0 * self._pose[1])
            await self._user.use(self._tools.turn_head, self._tools.turn(here))

    async def hold(self, on: bool) -> None:
        """Hold it, or let it go."""
        if await self._user.use(self._tools.torque, self._tools.hold(on)):
            self.torque = on

    async def follow(self) -> None:
        """Tell again and again where it is."""
        while True:
            answered = True
            try:
                text = await self._client.call(self._tools.read_head, seconds=SOON)
                pose = angles(text, self._failed_read)
            except ToolFailed as error:
                pose, answered = None, error.answered
            before, self._pose = self._pose, pose
            moving = (
                pose is not None
                and before is not None
                and max(abs(pose[0] - before[0]), abs(pose[1] - before[1])) > _MOVED
            )
            yaw, pitch = (10.0 * pose[0], 10.0 * pose[1]) if pose else (None, None)
            # A device that does not answer at all says nothing about its servos.
            held = self.torque and answered
            self._tell(HeadRead(yaw, pitch, moving, held, ok=pose is not None))
            await asyncio.sleep(_POLL)

    async def turn(self) -> None:
        """Send the newest wish whenever the one before has been answered; none is repeated."""
        while True:
            await self._wished.wait()
            self._wished.clear()
            wish, self._turn = self._turn, None
            if wish is not None:
                await self._user.use(self._tools.turn_head, self._tools.turn(wish), SOON)
