"""What the body twin remembers, as it stands in ``body.json``."""

from __future__ import annotations

from dataclasses import dataclass, field

from soul.signals import UNKNOWN


@dataclass(frozen=True, slots=True)
class BandsMemory:
    """The bands that the body was in; 0 unknown."""

    warmth: int = 0
    brightness: int = 0
    energy: int = 0


@dataclass(frozen=True, slots=True)
class BodyMemory:
    """All that the body twin remembers.

    `told` has, by the sense, the value that was told last; `connected` is YES, NO or UNKNOWN.
    """

    told: dict[str, int]
    bands: BandsMemory = field(default_factory=BandsMemory)
    connected: int = UNKNOWN
    schema: int = 1
