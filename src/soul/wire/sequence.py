"""Loss statistics from the counter `q` that each sender puts into its frames."""

from __future__ import annotations

_MODULUS = 2**32
#: A larger step is a counter begun anew rather than a loss.
_LARGEST_GAP = 10_000


class Sequence:
    """Counts the frames that never arrived."""

    def __init__(self) -> None:
        self.seen = 0
        self.lost = 0
        self._last: int | None = None

    def note(self, q: int) -> int:
        """Note an arrived frame's counter; returns how many are missing before it."""
        gap = 0
        if self._last is not None:
            step = (q - self._last) % _MODULUS
            if 0 < step <= _LARGEST_GAP:
                gap = step - 1
        self._last = q
        self.seen += 1
        self.lost += gap
        return gap

    def restart(self) -> None:
        """Expect any counter next: the sender or the link begins anew."""
        self._last = None

    @property
    def loss(self) -> float:
        """Share of frames lost so far, 0..1."""
        total = self.seen + self.lost
        return self.lost / total if total else 0.0
