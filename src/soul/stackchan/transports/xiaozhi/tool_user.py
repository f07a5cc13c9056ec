"""Uses a tool whose failure is only worth a line in the log."""

from __future__ import annotations

from collections.abc import Callable

from soul.stackchan.transports.events import LineLogged, Told, plain_text
from soul.stackchan.transports.xiaozhi.mcp import ToolClient, ToolFailed
from soul.stackchan.transports.xiaozhi.tools import Arguments, failure

#: Longest time of a tool, s ...
SECONDS = 5.0
#: ... and of one whose answer does not matter any more later.
SOON = 1.5


class ToolUser:
    """Calls tools of a device for whoever does not want to know how they end in detail."""

    def __init__(self, client: ToolClient, tell: Callable[[Told], None]) -> None:
        self._client = client
        self._tell = tell

    async def use(self, tool: str, arguments: Arguments, seconds: float = SECONDS) -> bool:
        """Use a tool; returns whether it did as it was told. One without a name does nothing.

        Raises
        ------
        OSError
            If the device is gone.
        """
        if not tool:
            return True
        try:
            why = failure(await self._client.call(tool, arguments, seconds))
        except ToolFailed as error:
            why = str(error)
        if why:
            self._tell(LineLogged(plain_text(f'{tool}: {why}', 300)))
        return not why
