"""Tells the local network by mDNS where to dial, for firmware that looks for it there."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

#: What such a device looks for.
SERVICE = '_stackchan-mcp._tcp.local.'

MISSING = (
    'the package zeroconf is not installed: devices that look for it by mDNS do not find it '
    '(pip install zeroconf)'
)


class Announcement:
    """Stands in the local network until it is closed; all of it on one event loop.

    Parameters
    ----------
    address
        Where to dial; it is told on that interface only.
    """

    def __init__(self, address: str, port: int) -> None:
        self._address = address
        self._port = port
        self._told: Any = None

    async def begin(self) -> str:
        """Tell it; returns why that cannot be, empty if it can."""
        try:
            from zeroconf import Error, ServiceInfo
            from zeroconf.asyncio import AsyncZeroconf
        except ImportError:
            return MISSING
        name = f'soul-{socket.gethostname().partition(".")[0][:40]}-{self._port}'
        info = ServiceInfo(
            SERVICE, f'{name}.{SERVICE}', port=self._port, server=f'{name}.local.',
            addresses=[ipaddress.ip_address(self._address).packed], properties={'path': '/'},
        )  # fmt: skip
        try:
            self._told = AsyncZeroconf(interfaces=[self._address])
            await (await self._told.async_register_service(info, allow_name_change=True))
        except (Error, OSError) as error:
            return f'nothing can be told by mDNS at {self._address}: {error}'
        return ''

    async def close(self) -> None:
        """Take it back."""
        told, self._told = self._told, None
        if told is not None:
            await told.async_unregister_all_services()
            await told.async_close()
