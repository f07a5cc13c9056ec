"""How the heart shows itself: its state for the others, and a page that people read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from soul.heart.local_clock import LocalClock
from soul.heart.rate_forecast import Modulation
from soul.heart.sleep import alertness
from soul.heart.state_model import StateModel
from soul.heart.tables import Sensations
from soul.heart.wakes import Wakes
from soul.signals import Drive, HeartState


def state_message(
    now: float,
    life: StateModel,
    modulation: Modulation,
    factors: Mapping[str, float],
    words: Sensations,
    wakes: Wakes,
    rest_until: float,
) -> HeartState:
    """Return the heart's state; life has been lived until now."""
    circadian = life.params.sleeper.circadian(life.at, life.lux)
    return HeartState(
        stamp=now,
        epoch=wakes.epoch,
        drives=drives(life, words),
        mean_drive=life.drives.mean(),
        sleep_pressure=life.pressure,
        circadian=circadian,
        alertness=alertness(life.pressure, circadian),
        asleep=life.asleep,
        rate_per_hour=life.forecast(modulation).rate(life.at),
        inhibition=modulation.inhibition,
        inhibited_by=tuple(factors),
        rest_until=rest_until if rest_until > now else 0.0,
        wake_open=wakes.open is not None,
        open_wake=wakes.open.id if wakes.open else wakes.last,
        last_wake=wakes.last,
        unconsolidated=modulation.unconsolidated,
    )


def drives(life: StateModel, words: Sensations) -> tuple[Drive, ...]:
    """Return all drives, with how they feel. Boredom is counted, the others are 0..1."""
    shown = []
    for name, kind in life.drives.kinds.items():
        amount = life.drives.amounts[name]
        level = amount if kind.source == 'wakings' else life.drives.share(name)
        shown.append(Drive(name, level, words.of(name, kind, amount)))
    return tuple(shown)


def page(state: HeartState, clock: LocalClock) -> dict[str, Any]:
    """Return DRIVES.json: her levels for people to read, nothing reads it back."""
    written = datetime.fromtimestamp(state.stamp, clock.zone)
    if clock.zone is None:
        written = written.astimezone()
    found: dict[str, Any] = {
        'about': 'Her drives, for people to read. Changes here have no effect.',
        'written': written.isoformat(timespec='seconds'),
    }
    for drive in state.drives:
        level = drive.level if not math.isnan(drive.level) else 0.0
        found[drive.name] = {'level': round(level, 3), 'feels': drive.sensation}
    found['sleep'] = {
        'asleep': state.asleep,
        'pressure': round(state.sleep_pressure, 3),
        'alertness': round(state.alertness, 3),
    }
    return found
