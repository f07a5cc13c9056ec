"""Which addresses her tools may reach: pages of the public web, machines of a private network.

A page that she reads may name any address, also that of a robot or a service on this network
that trusts whoever reaches it. And a machine that runs her commands must not stand in public.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class BadAddress(ValueError):
    """An address that is not reached, and why."""


async def resolve(url: str) -> list[Address]:
    """Find the addresses of a URL's host.

    Raises
    ------
    BadAddress
        If it is no http(s) URL or its host is not known.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadAddress(f'{url!r} is no address ({error})') from None
    if parts.scheme not in ('http', 'https') or not host or port == 0:
        raise BadAddress(f'{url!r} is no http or https address')
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadAddress(f'the host {host!r} is not known') from None
    return [ipaddress.ip_address(str(entry[4][0]).partition('%')[0]) for entry in found]


async def only_public(url: str) -> list[Address]:
    """Return the addresses of a host that is public.

    Raises
    ------
    BadAddress
        If any of them is not.
    """
    addresses = await resolve(url)
    if any(not _public(address) for address in addresses):
        raise BadAddress(f'{urlsplit(url).hostname} is not on the public web')
    return addresses


async def only_private(url: str) -> list[Address]:
    """Return the addresses of a host that is not public.

    Raises
    ------
    BadAddress
        If any of them is public.
    """
    addresses = await resolve(url)
    if any(_public(address) for address in addresses):
        raise BadAddress(
            f'{urlsplit(url).hostname} is a public address; keep it on a private network or '
            'behind a tunnel'
        )
    return addresses


#: IPv6 addresses that stand for an IPv4 address in their last four bytes: NAT64 (RFC 6052; the
#: local-use prefix of RFC 8215 is private whatever stands in it).
NAT64 = ipaddress.IPv6Network('64:ff9b::/96')
#: Never the public web, although nobody has told every Python: site-local (RFC 3879),
#: documentation, segment routing, IPv4 translated (RFC 2765), protocol assignments, 6to4 relays.
ELSEWHERE = tuple(
    ipaddress.ip_network(network)
    for network in (
        'fec0::/10',
        '64:ff9b:1::/48',
        '3fff::/20',
        '5f00::/16',
        '::ffff:0:0:0/96',
        '192.0.0.0/24',
        '192.88.99.0/24',
    )
)


def _meant(address: Address) -> list[Address]:
    """Return an address and those that it stands for."""
    found: list[Address] = [address]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return [address.ipv4_mapped]
        if address.sixtofour is not None:
            found.append(address.sixtofour)
        if address.teredo is not None:
            found += address.teredo
        if address in NAT64 or int(address) >> 32 == 0:  # also ::a.b.c.d of old
            found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return found


def _public(address: Address) -> bool:
    return all(
        one.is_global
        and not one.is_multicast
        and not any(one.version == net.version and one in net for net in ELSEWHERE)
        for one in _meant(address)
    )
