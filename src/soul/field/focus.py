"""Where she looks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Focus:
    """A focus: an item, a topic in words, or nothing (her gaze wanders)."""

    item: str = ''  # id of the item
    topic: str = ''
    chosen: bool = False  # she looks there by her own will
