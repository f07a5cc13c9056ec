"""How long a waking may go on without anything happening in it."""

from __future__ import annotations

import asyncio

from soul.mind.config import MindConfig

#: The provider's own limit comes first, and the ceiling of requests may hold one back, s.
MARGIN = 65.0


class Patience:
    """Watches one waking; in real time, on its event loop.

    A server that has not begun to answer may be loading the model: that has a limit of its own.
    """

    def __init__(self, config: MindConfig) -> None:
        self._config = config
        self._time = asyncio.get_running_loop().time
        self._progress = self._time()
        self._asked = 0.0  # since when a model that has not begun to answer is asked; 0: never

    def advance(self) -> None:
        """Note that something has happened."""
        self._progress = self._time()

    def asks(self) -> None:
        """Note that the model is asked."""
        self._asked = self._time()

    def heard(self) -> None:
        """Note that the model has begun to answer, or will not."""
        self._asked = 0.0
        self.advance()

    def left(self) -> float:
        """Seconds until the wall, if nothing happens."""
        now = self._time()
        left = self._config.waking_seconds - (now - self._progress)
        if self._asked:
            left = max(left, self._config.first_byte_seconds + MARGIN - (now - self._asked))
        return left
