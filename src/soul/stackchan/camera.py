"""One picture at a time; whoever asks while one is under way gets the same."""

from __future__ import annotations

import math

_BEGIN = b'\xff\xd8'
_END = b'\xff\xd9'
_MOST_BYTES = 2_000_000


class Camera:
    """Who waits for the picture that is under way."""

    def __init__(self) -> None:
        self.id = ''  # of the command that asked for it
        self.until = math.inf
        self._handles: list[str] = []

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

    def take(self, data: bytes) -> bytes | None:
        """Take a picture; None if nobody has asked for one, or it is none."""
        if not self.busy:
            return None
        whole = data.startswith(_BEGIN) and data.rstrip(b'\0').endswith(_END)
        if not whole or len(data) > _MOST_BYTES:
            return None
        from soul.stackchan.pictures import BadPicture, checked  # takes its time to load

        try:
            checked(data).close()
        except BadPicture:
            return None
        return data

    def end(self) -> list[str]:
        """Be done, one way or the other; returns who waited."""
        handles, self._handles = self._handles, []
        self.id = ''
        self.until = math.inf
        return handles
