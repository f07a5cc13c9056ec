"""The addresses of this machine, and at which of them a device can find it."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable

import psutil

#: Interfaces of containers and virtual machines: no device is behind them.
_INNER = ('docker', 'br-', 'veth', 'virbr', 'vmnet', 'lxc', 'podman', 'tun', 'tap')
#: Nothing is ever sent there; who would be asked for the way says which address has it.
_ELSEWHERE = ('192.0.2.1', 9)


def local_addresses() -> list[str]:
    """Return them, the one first by which this machine reaches the world."""
    found = [
        info.address
        for name, infos in psutil.net_if_addrs().items()
        if not name.startswith(_INNER)
        for info in infos
        if info.family is socket.AF_INET
    ]
    return in_order(found, _outward())


def is_this_machine(address: str) -> bool:
    """Whether an address is that of this machine for itself, which nobody else reaches."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == 'localhost'


def in_order(addresses: Iterable[str], first: str) -> list[str]:
    """Return those of a local network; `first` is the first one if it is among them."""
    fit = [address for address in addresses if _is_local(address)]
    return sorted(fit, key=lambda address: (address != first, fit.index(address)))


def _is_local(address: str) -> bool:
    found = ipaddress.ip_address(address)
    return found.is_private and not found.is_loopback and not found.is_link_local


def _outward() -> str:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            asked.connect(_ELSEWHERE)
            return str(asked.getsockname()[0])
    except OSError:
        return ''
