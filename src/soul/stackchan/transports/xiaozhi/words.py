"""Words on the screen of a device, for as long as they take to be said."""

from __future__ import annotations

import asyncio

from soul.stackchan.transports.events import ActEnded
from soul.stackchan.transports.xiaozhi.face import ToolFace
from soul.stackchan.transports.xiaozhi.link import XiaozhiLink

SHOWN = 'shown on the screen, not spoken'
UNCONFIRMED = 'sent to its screen; the device confirms nothing'


class ScreenWords:
    """Shows one text at a time.

    Parameters
    ----------
    rate
        Characters a second.
    witness
        Tool whose answer shows that the words were taken.
    """

    def __init__(self, link: XiaozhiLink, face: ToolFace, rate: float, witness: str) -> None:
        self._link = link
        self._face = face
        self._rate = rate
        self._witness = witness
        self._turns = asyncio.Lock()
        self._showing: asyncio.Future[None] | None = None

    async def show(self, id: str, text: str) -> ActEnded:
        """Show words; returns how that ended once the firmware has taken them.

        Raises
        ------
        OSError
            If the device is gone.
        """
        async with self._turns:
            self._showing = asyncio.get_running_loop().create_future()
            why = ''
            try:
                await self._link.send('tts', state='start')
                await self._link.send('tts', state='sentence_start', text=text)
                await self._face.open_mouth(True)
                try:
                    await asyncio.wait_for(self._showing, len(text) / self._rate)
                except asyncio.TimeoutError:
                    pass  # it has been there long enough
                except _Hushed as error:
                    why = str(error)
                await self._link.send('tts', state='stop')
                await self._face.open_mouth(False)
                taken = await self._link.client.has_taken(self._witness)
                await self._face.speech_ended()
            finally:
                self._showing = None
        if why:
            return ActEnded(id, ok=False, why=why)
        if taken:
            return ActEnded(id, ok=True, why=SHOWN)
        return ActEnded(id, ok=False, sure=False, why=UNCONFIRMED)

    def hush(self, why: str) -> None:
        """End the text that is shown early."""
        if self._showing is not None and not self._showing.done():
            self._showing.set_exception(_Hushed(why))


class _Hushed(Exception):
    """It has been ended early."""
