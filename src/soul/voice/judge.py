"""What judges whether somebody speaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class Judge(Protocol):
    """Judges a stream of sound of 16 kHz window by window."""

    def judge(self, samples: bytes) -> Iterator[tuple[bytes, float]]:
        """Take samples; gives each window and how likely there is speech in it, 0..1."""

    def reset(self) -> None:
        """Forget what was heard."""
