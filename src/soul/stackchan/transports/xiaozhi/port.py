"""The addresses at which a device can dial: the usual one, and those that a pairing opens."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import Any

from soul.stackchan.pairing.addresses import is_this_machine, local_addresses
from soul.stackchan.pairing.announce import Announcement
from soul.stackchan.web.listener import WebListener

#: Shortest and longest pause until an address is tried again, s.
PAUSES = (1.0, 60.0)
_MOVED = 'it is tried again; has this machine moved? `soul body pair` pairs at its new address'


@dataclass
class _Open:
    """An address that is open."""

    server: asyncio.Server
    announcement: Announcement | None


class DevicePort:
    """One port at some addresses; on the loop's thread.

    Parameters
    ----------
    host
        The address at which it is open in any case.
    warn
        Is told what people should know.

    Attributes
    ----------
    number
        Of the port; 0: it is not open yet.
    """

    def __init__(
        self,
        listener: WebListener,
        host: str,
        loop: asyncio.AbstractEventLoop,
        warn: Callable[[str], None],
    ) -> None:
        self.number = 0
        self._listener = listener
        self._host = host
        self._loop = loop
        self._announces = False
        self._warn = warn
        self._open: dict[str, _Open] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, number: int, announces: bool) -> int:
        """Open it at the usual address; returns its number.

        Parameters
        ----------
        number
            0: any free one.
        announces
            Whether mDNS tells of it where others than this machine can reach it.

        Raises
        ------
        OSError
            If it cannot be had.
        """
        at = bound(self._host, number)
        self.number, self._announces = at.getsockname()[1], announces
        server = await self._listener.open(at)
        if not is_this_machine(self._host) and not self._reaches('0.0.0.0'):
            self._tell(self._host, server)
        return self.number

    async def open_also(self, address: str) -> None:
        """Open it at a further address.

        Raises
        ------
        OSError
            If that cannot be; says why, and what to do.
        """
        if address and address not in self._open and not self._reaches(address):
            self._tell(address, await self._listener.open(bound(address, self.number)))

    def _tell(self, address: str, server: asyncio.Server) -> None:
        announcement = Announcement(address, self.number) if self._announces else None
        self._open[address] = _Open(server, announcement)
        if announcement is not None:
            # Nobody waits for it: a device that was told where to dial does not need it.
            self._do(self._announce(announcement))

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close_all_but(self, needed: Collection[str]) -> None:
        """Close it at further addresses that nobody needs."""
        for address in [one for one in self._open if one not in needed and one != self._host]:
            self._close(self._open.pop(address))

    async def close(self) -> None:
        """Close it everywhere, with all connections."""
        while self._open:
            self._close(self._open.popitem()[1])
        await self._listener.close()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _close(self, opened: _Open) -> None:
        opened.server.close()
        if opened.announcement is not None:
            self._do(opened.announcement.close())

    async def _announce(self, announcement: Announcement) -> None:
        if trouble := await announcement.begin():
            self._warn(trouble)

    def _reaches(self, address: str) -> bool:
        """Whether the usual address covers another one."""
        if address == self._host:
            return True
        try:
            return ipaddress.ip_address(self._host).is_unspecified
        except ValueError:
            return False


async def keep_open(
    port: DevicePort, address: Callable[[], str], told: Callable[[str], None]
) -> None:
    """Open a port at the address that paired devices know, which may be there only later.

    Parameters
    ----------
    told
        Is told what is in the way, for people; in the end, that nothing is.
    """
    pause = PAUSES[0]
    while True:
        try:
            await port.open_also(address())
        except OSError as error:
            told(f'paired devices cannot dial: {error.strerror}; {_MOVED}')
        else:
            told('')
            return
        await asyncio.sleep(pause)
        pause = min(2.0 * pause, PAUSES[1])


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises
    ------
    OSError
        If it cannot; says why, and what to do.
    """
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise OSError(error.errno, _why_not(host, port, error)) from error


def _why_not(host: str, port: int, error: OSError) -> str:
    """Say for people why an address cannot be listened at."""
    if error.errno == errno.EADDRINUSE:
        return f'port {port} of {host} is taken by another program (`ss -ltnp` names it)'
    if error.errno == errno.EADDRNOTAVAIL:
        ours = ', '.join(local_addresses()) or 'none in a local network'
        return f'{host} is no address of this machine; its addresses are {ours}'
    return f'port {port} of {host} cannot be opened: {error.strerror or error}'
