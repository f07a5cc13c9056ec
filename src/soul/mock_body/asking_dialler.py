"""A device that asks where to dial when it boots, and dials only when it is woken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from soul.mock_body.calls import Asked, DialEvent
from soul.mock_body.dialler import Dialler

#: So often it asks; then it gives up until it boots.
TRIES = 10

_WAIT, _WAIT_MOST = 0.1, 2.0  # s between two tries; a real one waits for minutes in the end
_PATIENCE = 5.0  # s
_VERSION = '1.1.4'


class AskingDialler(Dialler):
    """As M5Stack's firmware does it.

    Parameters
    ----------
    ask
        Where to ask; called on the thread, may raise OSError.
    """

    def __init__(
        self,
        ask: Callable[[], str],
        headers: Mapping[str, str],
        deliver: Callable[[DialEvent], None],
    ) -> None:
        super().__init__(lambda: self._address, headers, deliver)
        self._ask = ask
        self._address = ''
        self._woken = asyncio.Event()
        self._booted = asyncio.Event()

    def boot(self) -> None:
        """Hang up, forget where to dial, and ask."""
        super().boot()
        self.loop.call_soon_threadsafe(self._booted.set)

    def wake(self) -> None:
        """Dial, if it knows where."""
        self.loop.call_soon_threadsafe(self._wake)

    async def live(self) -> None:
        """Ask after each boot; dial after each waking."""
        self._booted.set()
        asking: asyncio.Task[None] | None = None
        try:
            while True:
                if self._booted.is_set():
                    self._booted.clear()
                    if asking is not None:
                        asking.cancel()
                    self._address = ''
                    asking = self.loop.create_task(self._ask_until_told())
                elif self._woken.is_set():
                    self._woken.clear()
                    if self._address:
                        await self.dial(lambda: self._address)
                else:
                    await first_of(self._booted, self._woken)
        finally:
            if asking is not None:
                asking.cancel()

    def _wake(self) -> None:
        if not self.talks:  # who speaks with it already wakes nobody
            self._woken.set()

    async def _ask_until_told(self) -> None:
        wait = _WAIT
        for _ in range(TRIES):
            why = await self._ask_once()
            self.deliver(Asked(why))
            if not why:
                return
            await asyncio.sleep(wait)
            wait = min(2.0 * wait, _WAIT_MOST)

    async def _ask_once(self) -> str:
        """Ask; returns why it does not know where to dial, empty if it does."""
        about = {
            'version': 2, 'mac_address': self.headers.get('Device-Id', ''),
            'application': {'name': 'stack-chan', 'version': _VERSION},
            'board': {'type': 'm5stack-stack-chan', 'name': 'm5stack-stack-chan'},
        }  # fmt: skip
        headers = {
            'Device-Id': self.headers.get('Device-Id', ''),
            'Client-Id': self.headers.get('Client-Id', ''),
            'Activation-Version': '1', 'User-Agent': f'm5stack-stack-chan/{_VERSION}',
        }  # fmt: skip
        try:
            async with httpx.AsyncClient(timeout=_PATIENCE, trust_env=False) as client:
                answer = await client.post(self._ask(), headers=headers, json=about)
            told: Any = answer.json() if answer.is_success else {}
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            return f'nobody answers: {error}'
        if not answer.is_success:
            return f'HTTP {answer.status_code}'
        where = told.get('websocket') if isinstance(told, dict) else None
        if not isinstance(where, dict) or not where.get('url') or 'mqtt' in told:
            return 'the answer names no WebSocket'
        self._address = str(where['url'])
        token = str(where.get('token', ''))
        self.headers.pop('Authorization', None)
        if token:
            self.headers['Authorization'] = token if ' ' in token else f'Bearer {token}'
        self.headers['Protocol-Version'] = str(where.get('version', 1))
        return ''


async def first_of(*events: asyncio.Event) -> None:
    """Wait until one of several events is set."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
