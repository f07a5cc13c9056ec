"""What an embedder is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Unavailable(Exception):
    """An embedder cannot be had here, and why."""


class Embedder(Protocol):
    """Turns texts into vectors of length 1; their scalar product is the relatedness."""

    @property
    def name(self) -> str:
        """What it is, for people."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def floor(self) -> float:
        """Lowest relatedness that can be close: unrelated texts have some, too."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text. May take long."""
