"""Pictures come in pieces; whoever asks while one is under way gets the same."""

from __future__ import annotations

import base64
import math

from soul.wire.schema import Jpg

_BEGIN = b'\xff\xd8'
_END = b'\xff\xd9'
_MOST_BYTES = 2_000_000


class Camera:
    """Assembles one picture at a time."""

    def __init__(self) -> None:
        self.id = ''  # of the command that asked for it
        self.until = math.inf
        self._handles: list[str] = []
        self._number = -1
        self._pieces: dict[int, bytes] = {}
        self._expected = 0

    @property
    def busy(self) -> bool:
        """Whether a picture is under way."""
        return bool(self._handles)

    def ask(self, handle: str) -> bool:
        """Note who wants a picture; returns whether it must be asked for."""
        self._handles.append(handle)
        return len(self._handles) == 1

    def asked(self, id: str, until: float) -> None:
        """The device has been asked by command `id`."""
        self.id = id
        self.until = until
        self._pieces = {}
        self._number = -1

    def take(self, piece: Jpg) -> bytes | None:
        """Take a piece; returns the whole picture if it was the last one missing."""
        if not self.busy:
            return None
        if piece.f != self._number:
            self._number, self._expected = piece.f, piece.n
            self._pieces = {}
        if piece.n != self._expected or piece.k >= piece.n:
            return None
        self._pieces[piece.k] = base64.b64decode(piece.b64)
        if len(self._pieces) < self._expected:
            return None
        data = b''.join(self._pieces[k] for k in range(self._expected))
        sound = data.startswith(_BEGIN) and data.rstrip(b'\0').endswith(_END)
        return data if sound and len(data) <= _MOST_BYTES else None

    def end(self) -> list[str]:
        """Be done, one way or the other; returns who waited."""
        handles, self._handles = self._handles, []
        self.id = ''
        self.until = math.inf
        self._pieces = {}
        return handles
