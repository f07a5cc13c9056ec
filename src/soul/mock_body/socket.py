"""Where the simulated device meets its host."""

from __future__ import annotations

from typing import Protocol


class Socket(Protocol):
    """A way to a host that can be taken away."""

    def plug(self) -> None:
        """Let the two meet."""

    def unplug(self) -> None:
        """Part them, as if a cable were pulled."""
