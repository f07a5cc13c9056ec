"""Headers of sound in the binary messages of the xiaozhi protocol, versions 1 to 3.

Version 1 has none; version 2: version, kind (both 16 bit), 4 bytes reserved, time in ms, length
(both 32 bit); version 3: kind, reserved (8 bit each), length (16 bit). Network order; kind 0 is
Opus.
"""

from __future__ import annotations

import struct

_SECOND = struct.Struct('!HHIII')
_THIRD = struct.Struct('!BBH')
_OPUS = 0

#: The versions there are.
VERSIONS = (1, 2, 3)


def pack(packet: bytes, version: int, milliseconds: int = 0) -> bytes:
    """Return the message that carries a packet of Opus.

    Parameters
    ----------
    version
        Of the protocol; one that is not known has no header.
    milliseconds
        When the packet is to be played, since the utterance began; only version 2 tells it.
    """
    if version == 2:
        return _SECOND.pack(2, _OPUS, 0, milliseconds & 0xFFFFFFFF, len(packet)) + packet
    if version == 3:
        return _THIRD.pack(_OPUS, 0, len(packet)) + packet
    return packet


def unpack(message: bytes, version: int) -> bytes:
    """Return the packet of Opus that a message carries.

    Raises
    ------
    ValueError
        If it carries none, or is shorter than it says.
    """
    kind, size, begin = _OPUS, len(message), 0
    if version in (2, 3):
        header = _SECOND if version == 2 else _THIRD
        if len(message) < header.size:
            raise ValueError(f'{len(message)} bytes are no message of version {version}')
        begin = header.size
        if version == 2:
            _, kind, _, _, size = _SECOND.unpack_from(message)
        else:
            kind, _, size = _THIRD.unpack_from(message)
    packet = message[begin : begin + size]
    if kind != _OPUS or not packet or len(packet) < size:
        raise ValueError(f'no sound in {len(message)} bytes of version {version}')
    return packet
