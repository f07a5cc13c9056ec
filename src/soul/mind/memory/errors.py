"""Why something was not remembered or forgotten."""

from __future__ import annotations


class MemoryRefused(ValueError):
    """Nothing was changed; the message says why."""
