"""What is said on the socket: one JSON object a line, UTF-8, in both directions.

She greets first. Then the terminal asks, each time with a number `id` of its own, and she answers
with the same number; what is heard later on a topic comes with the number it was asked for with.

    her       {"soul": "0.1.0", "protocol": 1, "namespace": "/soul", "domain": 0, "pid": 4711}
    terminal  {"id": 1, "hear": "mind/state", "kind": "MindState"}
    her       {"id": 1, "heard": {...}}                                    again and again
    terminal  {"id": 2, "call": "speak", "kind": "SpeakRequest", "request": {...}, "seconds": 5.0}
    her       {"id": 2, "answer": {...}}  or with "absent": "why", or with "refused": "why"

The other questions: `health`, `said` (a topic, with `by`, a node), `topics`, `echo`. A line that
cannot be understood is answered with `{"error": "why"}`, and the connection ends.
"""

from __future__ import annotations

import json
import select
import socket
import time
from dataclasses import asdict, dataclass
from typing import Any

from soul import __version__

#: Changes when a terminal of before could not understand any more what is said.
PROTOCOL = 1
#: Longest line, bytes: the longest message that her door takes, and what it takes to escape it.
LINE_LIMIT = 8 << 20
_CHUNK = 1 << 16


class Garbled(Exception):
    """A line that cannot be understood, and why."""


@dataclass(frozen=True)
class Greeting:
    """The first line that a terminal hears."""

    namespace: str
    domain: int  # ROS domain id
    pid: int
    soul: str = __version__  # version of the package
    protocol: int = PROTOCOL
    full: bool = False  # no terminal more is taken; the connection ends with this line

    def to_line(self) -> dict[str, Any]:
        """Return it as a line."""
        return asdict(self)

    @classmethod
    def from_line(cls, line: Any) -> Greeting:
        """Read it from a line, also one of another version.

        Raises
        ------
        Garbled
            If it is none.
        """
        try:
            return cls(
                str(line['namespace']),
                int(line['domain']),
                int(line['pid']),
                str(line['soul']),
                int(line['protocol']),
                bool(line.get('full', False)),
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise Garbled('the first line is no greeting') from None


def encode(line: dict[str, Any]) -> bytes:
    """Return a line as bytes, with its end; half characters become question marks."""
    text = json.dumps(line, ensure_ascii=False, separators=(',', ':'))
    return text.encode('utf-8', 'replace') + b'\n'


class ReceivedLines:
    """Reads lines from a connection.

    Parameters
    ----------
    limit
        Longest line, bytes.
    """

    def __init__(self, connection: socket.socket, limit: int = LINE_LIMIT) -> None:
        self._connection = connection
        self._limit = limit
        self._buffer = bytearray()

    def next(self, seconds: float | None = None) -> dict[str, Any] | None:
        """Read one line; None: the other side has hung up, perhaps in the middle of a line.

        Parameters
        ----------
        seconds
            Longest wait for the whole line; None: for ever.

        Raises
        ------
        Garbled
            If it is too long or no JSON object.
        TimeoutError
            If it does not come in time.
        """
        ends = None if seconds is None else time.monotonic() + seconds
        searched = 0
        while (end := self._buffer.find(b'\n', searched)) < 0:
            searched = len(self._buffer)
            if searched > self._limit:
                raise Garbled(f'a line is longer than {self._limit} bytes')
            if ends is not None and not self._wait(ends - time.monotonic()):
                raise TimeoutError(f'no line came within {seconds:g} s')
            try:
                chunk = self._connection.recv(_CHUNK)
            except ConnectionError:
                return None
            if not chunk:
                return None
            self._buffer += chunk
        text = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return _parsed(text)

    def _wait(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        return bool(poll.poll(max(0.0, seconds) * 1000))


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        raise Garbled(f'{text[:60]!r} is no JSON') from None
    if not isinstance(line, dict):
        raise Garbled(f'{text[:60]!r} is no JSON object')
    return line
