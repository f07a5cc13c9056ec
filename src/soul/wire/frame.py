"""Frames on the wire: ``{json}*HHHH`` and a newline.

HHHH is the upper-case hexadecimal CRC-16/CCITT-FALSE of the JSON bytes. A stream carries frames
and log lines of the firmware mixed; whatever is not a sound frame is counted and dropped.
"""

from __future__ import annotations

import binascii
import json
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Longest line in bytes, with its newline.
MAX_FRAME = 4096
#: Every frame begins like this; the type is the first key.
START = b'{"t":'

_TAIL = re.compile(rb'\*([0-9A-F]{4})\Z')
_LOG_LINES_KEPT = 20
_LOG_LINE_SHOWN = 200


class FrameError(ValueError):
    """A message that does not fit into a frame."""


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE of `data`, 0..65535; of ``b'123456789'`` it is 0x29B1."""
    return binascii.crc_hqx(data, 0xFFFF)


def encode(message: Mapping[str, Any]) -> bytes:
    """Frame `message`, newline included.

    Raises:
    ------
    FrameError
        If the first key is not `t`, a value is no JSON, or the line would exceed MAX_FRAME.
    """
    if next(iter(message), None) != 't':
        raise FrameError('the first key of a frame is t')
    try:
        text = json.dumps(
            message, ensure_ascii=False, allow_nan=False, separators=(',', ':')
        ).encode()
    except (TypeError, ValueError) as error:  # UnicodeEncodeError is a ValueError
        raise FrameError(f'this is no JSON: {error}') from error
    line = b'%s*%04X\n' % (text, crc16(text))
    if len(line) > MAX_FRAME:
        raise FrameError(f'the frame has {len(line)} bytes, at most {MAX_FRAME} are allowed')
    return line


def decode(line: bytes) -> dict[str, Any]:
    """Take the message out of one line without its newline.

    Raises:
    ------
    FrameError
        If the line holds no sound frame.
    """
    start = line.find(START)
    if start < 0:
        raise FrameError('no frame')
    tail = _TAIL.search(line)
    if tail is None or tail.start() < start:
        raise FrameError('no checksum')
    text = line[start : tail.start()]
    if crc16(text) != int(tail.group(1), 16):
        raise FrameError('wrong checksum')
    try:
        message = json.loads(text.decode(), object_pairs_hook=_object, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise FrameError(f'no JSON: {error}') from error
    if not isinstance(message, dict):
        raise FrameError('no JSON object')
    return message


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; two values for one key would leave it to chance which one counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError('a key occurs twice')
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f'{name} is no JSON')


@dataclass
class DecoderStats:
    """What a decoder has seen; counters only grow."""

    bytes: int = 0
    frames: int = 0
    log_lines: int = 0  # lines without the beginning of a frame
    bad_frames: int = 0  # lines that begin a frame and are not sound
    overlong: int = 0  # lines dropped because they exceed MAX_FRAME


class Decoder:
    """Takes the frames out of a stream, however it is cut and whatever lies between them."""

    def __init__(self) -> None:
        self.stats = DecoderStats()
        self.recent_log: deque[str] = deque(maxlen=_LOG_LINES_KEPT)
        self._rest = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Take the messages that `data` completes, in order."""
        self.stats.bytes += len(data)
        messages = []
        *lines, rest = data.split(b'\n')
        for line in lines:
            message = self._end_line(line)
            if message is not None:
                messages.append(message)
        self._append(rest)
        return messages

    def reset(self) -> None:
        """Forget a line in progress: the link has been opened anew."""
        self._rest.clear()
        self._dropping = False

    def _append(self, piece: bytes) -> None:
        if self._dropping:
            return
        self._rest += piece
        if len(self._rest) >= MAX_FRAME:  # the newline still to come counts
            self._rest.clear()
            self._dropping = True
            self.stats.overlong += 1

    def _end_line(self, piece: bytes) -> dict[str, Any] | None:
        self._append(piece)
        if self._dropping:
            self._dropping = False
            return None
        line = bytes(self._rest).rstrip(b'\r')
        self._rest.clear()
        if not line:
            return None
        try:
            message = decode(line)
        except FrameError:
            if START in line:
                self.stats.bad_frames += 1
            else:
                self.stats.log_lines += 1
                self.recent_log.append(line[:_LOG_LINE_SHOWN].decode(errors='replace'))
            return None
        self.stats.frames += 1
        return message
