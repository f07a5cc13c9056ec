"""HTTP answers read within limits, whatever a server sends.

A compressed answer of a few bytes can unpack to gigabytes, and a server may send a byte now and
then for ever. So no answer is asked for compressed, one that is all the same is unpacked piece
by piece with an eye on the limit, and layers of compression are refused.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio

if TYPE_CHECKING:
    import httpx

#: Sent with each request.
PLAIN = {'Accept-Encoding': 'identity'}
#: So much is unpacked at a time, bytes.
STEP = 65536
#: How zlib reads a kind of compression.
_WINDOWS = {'gzip': 31, 'x-gzip': 31, 'deflate': 47}
#: Endings of names that belong to no public host.
_LOCAL_NAMES = ('.local', '.localhost', '.lan', '.internal', '.home.arpa', '.home')


class TooMuch(Exception):
    """An answer is larger, slower or more tangled than its limits allow; says which."""


async def pieces(
    response: httpx.Response, most: int, silence: float = 0.0
) -> AsyncIterator[bytes]:
    """Yield the bytes of a streamed answer as they arrive, unpacked.

    Parameters
    ----------
    most
        Largest answer, bytes after unpacking.
    silence
        Longest time between two pieces, s; 0: as the client's own limit says.

    Raises
    ------
    TooMuch
        If the answer is larger, or packed in a way that is not read here.
    TimeoutError
        If nothing comes for longer than `silence`.
    """
    unpack = _unpacker(response.headers.get('content-encoding', ''))
    raw = response.aiter_raw().__aiter__()
    total = 0
    while True:
        try:
            # asyncio.wait_for would swallow a cancellation that comes with a piece: a lost stop
            with anyio.fail_after(silence or None):
                packed = await raw.__anext__()
        except StopAsyncIteration:
            return
        for piece in _unpacked(packed, unpack):
            yield piece[: most - total]
            total += len(piece)
            if total > most:
                raise TooMuch(f'more than {most} bytes')


async def whole(
    response: httpx.Response, most: int, silence: float = 0.0, cut: bool = False
) -> bytes:
    """Read a streamed answer to its end.

    Parameters
    ----------
    cut
        Whether an answer that is too large ends at the limit instead of being refused.
    """
    found = bytearray()
    try:
        async for piece in pieces(response, most, silence):
            found += piece
    except TooMuch:
        if not cut or not found:
            raise
    return bytes(found)


def _unpacker(encoding: str) -> Any:
    names = [name.strip().lower() for name in encoding.split(',') if name.strip()]
    names = [name for name in names if name != 'identity']
    if not names:
        return None
    if len(names) > 1 or names[0] not in _WINDOWS:
        raise TooMuch(f'packed as {encoding[:80]!r}, which was not asked for')
    return zlib.decompressobj(_WINDOWS[names[0]])


def _unpacked(packed: bytes, unpack: Any) -> Any:
    if unpack is None:
        yield packed
        return
    try:
        while packed:
            piece = unpack.decompress(packed, STEP)
            packed = unpack.unconsumed_tail
            if piece:
                yield piece
            elif not packed:
                return
    except zlib.error as error:
        raise TooMuch(f'packed in a way that cannot be read ({error})') from None


def is_local(url: str) -> bool:
    """Whether an address names this machine or its own network, going by its words alone."""
    host = (urlsplit(url).hostname or '').rstrip('.').lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return '.' not in host or host.endswith(_LOCAL_NAMES)
    return not address.is_global


def client_options(url: str, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return how a client for an address treats the proxies of the environment.

    What lies on this machine or in its own network is never asked through a proxy: it could not
    be reached there, and what is sent to it would be read elsewhere.

    Raises
    ------
    ValueError
        If the environment names a SOCKS proxy that nothing here can use; says what to do.
    """
    if is_local(url):
        return {'trust_env': False}
    name, proxy = _proxy(url, environ)
    # httpx uses socksio when it is there
    if proxy.lower().startswith('socks') and importlib.util.find_spec('socksio') is None:
        raise ValueError(
            f'{name} names a SOCKS proxy, for which the package socksio is missing: '
            "`pip install 'httpx[socks]'`, or unset it"
        )
    return {'trust_env': True}


def _proxy(url: str, environ: Mapping[str, str]) -> tuple[str, str]:
    scheme = urlsplit(url).scheme or 'http'
    for name in (f'{scheme}_proxy', 'all_proxy'):
        for spelled in (name, name.upper()):
            if environ.get(spelled):
                return spelled, environ[spelled]
    return '', ''
