"""The words and strengths of the body's events."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from soul.signals import SenseEvent, SenseKind

Maker = Callable[[float], SenseEvent]


def event(kind: str, magnitude: float, detail: str, trusted: bool = True) -> Maker:
    """Make an event when it is told; `magnitude` 0..1."""

    def make(now: float) -> SenseEvent:
        return SenseEvent(
            stamp=now,
            id=uuid.uuid4().hex[:12],
            kind=kind,
            magnitude=min(1.0, max(0.0, magnitude)),
            detail=detail,
            trusted=trusted,
        )

    return make


def charger(there: bool) -> Maker:
    """Somebody plugs the charger in or pulls it out."""
    if there:
        return event(SenseKind.PLUGGED, 0.3, 'the charger is plugged in')
    return event(SenseKind.UNPLUGGED, 0.3, 'the charger is unplugged')


def screen(on: bool) -> Maker:
    """The screen is switched."""
    kind = SenseKind.SCREEN_ON if on else SenseKind.SCREEN_OFF
    return event(kind, 0.3, f'the screen is {"on" if on else "off"}')


def network(there: bool) -> Maker:
    """The network comes or goes."""
    kind = SenseKind.ONLINE if there else SenseKind.OFFLINE
    return event(kind, 0.3, f'the network is {"there" if there else "gone"}')


def light(before: int, after: int) -> Maker:
    """It becomes brighter or darker, from one band of light to another."""
    words = 'darker' if after < before else 'brighter'
    return event(SenseKind.LIGHT, abs(after - before) / 3.0, f'it has become {words}')
