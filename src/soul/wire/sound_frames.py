"""Sound in binary messages of the xiaozhi protocol: a packet of Opus behind a header.

Version 1 has no header. Version 2: version and kind (16 bit), 4 bytes reserved, time in ms and
length (32 bit). Version 3: kind and a reserved byte (8 bit), length (16 bit). All big-endian;
kind 0 is sound.
"""

from __future__ import annotations

import struct

#: Versions that are spoken.
VERSIONS = (1, 2, 3)

_SECOND = struct.Struct('!HHIII')
_THIRD = struct.Struct('!BBH')
_SOUND = 0


def pack(packet: bytes, version: int, milliseconds: int = 0) -> bytes:
    """Return the message that carries a packet.

    Parameters
    ----------
    milliseconds
        Since the stream began; only version 2 has room for it.
    """
    match version:
        case 2:
            header = _SECOND.pack(2, _SOUND, 0, milliseconds % 2**32, len(packet))
        case 3:
            header = _THIRD.pack(_SOUND, 0, len(packet))
        case _:
            header = b''
    return header + packet


def unpack(message: bytes, version: int) -> bytes:
    """Return the packet that a message carries; empty: it carries none.

    A length that is wrong is not believed: what is there counts.
    """
    match version:
        case 2 if len(message) >= _SECOND.size:
            _, kind, _, _, size = _SECOND.unpack_from(message)
            body = message[_SECOND.size :]
        case 3 if len(message) >= _THIRD.size:
            kind, _, size = _THIRD.unpack_from(message)
            body = message[_THIRD.size :]
        case 2 | 3:
            return b''
        case _:
            return message
    return body[:size] if kind == _SOUND else b''
