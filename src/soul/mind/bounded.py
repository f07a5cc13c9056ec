"""HTTP answers read within limits, whatever a server sends.

A compressed answer of a few bytes can unpack to gigabytes, and a server may send a byte now and
then for ever. So no answer is asked for compressed, one that is all the same is unpacked piece
by piece with an eye on the limit, and layers of compression are refused.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    import httpx

#: Sent with each request.
PLAIN = {'Accept-Encoding': 'identity'}
#: So much is unpacked at a time, bytes.
STEP = 65536
#: How zlib reads a kind of compression.
_WINDOWS = {'gzip': 31, 'x-gzip': 31, 'deflate': 47}


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
