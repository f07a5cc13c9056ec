"""The whole body as it is sensed now, and what has changed about it since it was told."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

from soul.body import events
from soul.body.changes import Changes
from soul.body.feelings import Bands, energy_of, words
from soul.body.host import HostReading
from soul.body.motion import Motion
from soul.signals import NO, UNKNOWN, YES, Band, BodyState, SenseEvent, SenseKind

#: From this charge down the battery is low; it is so until above the second, 0..1.
LOW_CHARGE, FAIR_CHARGE = 0.2, 0.25


def picture(
    read: Callable[[str], float],
    bands: Bands,
    motion: Motion,
    host: HostReading,
    screen: int,
    connected: int,
) -> BodyState:
    """Put together what is sensed now.

    Parameters
    ----------
    read
        A reading by its name; NaN is unknown.
    bands
        Of warmth, light and energy; they are moved.
    screen, connected
        YES, NO or UNKNOWN.
    """
    charge, celsius, lux = read('charge'), read('celsius'), read('lux')
    charging, moving = _three(read('charging')), _three(read('moving'))
    energy = energy_of(charge, charging)
    bands.move(celsius, lux, energy)
    state = BodyState(
        charge=charge,
        energy=energy,
        temperature=celsius,
        warmth=Band.BAND_UNKNOWN if math.isnan(celsius) else bands.warmth,
        illuminance=lux,
        brightness=Band.BAND_UNKNOWN if math.isnan(lux) else bands.brightness,
        still={YES: NO, NO: YES}.get(moving, UNKNOWN),
        picked_up=UNKNOWN if moving == UNKNOWN else motion.picked_up,
        screen_on=screen,
        charging=charging,
        connected=connected,
        online=host.online,
        cpu=host.cpu,
        memory=host.memory,
        disk=host.disk,
    )
    return dataclasses.replace(state, feelings=words(state, bands))


def compare(
    state: BodyState, changes: Changes, strength: float, now: float
) -> Iterator[SenseEvent]:
    """Tell what is different from what was told; `strength` is that of a motion, 0..1."""
    note, make = changes.note, events.event
    if state.charging != UNKNOWN:
        plugged = state.charging == YES
        yield from note('charging', int(plugged), now, events.charger(plugged))
    if not math.isnan(state.charge):
        low = state.charge <= (FAIR_CHARGE if changes.told.get('low') else LOW_CHARGE)
        event = make(SenseKind.LOW_BATTERY, 1.0 - state.charge, 'the battery is low')
        yield from note('low', int(low), now, event if low else None)
    if state.warmth:
        hot = state.warmth == Band.HOT
        event = make(SenseKind.HOT, 0.7, f'it is hot: {state.temperature:.0f} °C')
        yield from note('hot', int(hot), now, event if hot else None)
    if state.brightness:
        told = changes.told.get('light', state.brightness)
        yield from note('light', state.brightness, now, events.light(told, state.brightness))
    if state.still != UNKNOWN:
        moving, held = state.still == NO, state.picked_up == YES
        event = make(SenseKind.MOVED, strength, 'something moves you')
        yield from note('moving', int(moving), now, event if moving else None)
        event = make(SenseKind.PICKED_UP, 0.8, 'somebody picks you up')
        yield from note('held', int(held), now, event if held else None)
    if state.screen_on != UNKNOWN:
        on = state.screen_on == YES
        yield from note('screen', int(on), now, events.screen(on))
    if state.online != UNKNOWN:
        there = state.online == YES
        yield from note('online', int(there), now, events.network(there))


def _three(value: float) -> int:
    """NaN, 0.0 or 1.0 as a three-valued field."""
    return UNKNOWN if math.isnan(value) else int(value)
