"""Wakes sampled per second and a simulated year, beside a plain per-minute Bernoulli loop."""

from __future__ import annotations

import random
import time
from zoneinfo import ZoneInfo

from bench.figure import Figure
from bench.heart_life import HeartLife
from soul.heart.local_clock import DAY, LocalClock
from soul.heart.rate_forecast import HeartParams, Modulation
from soul.heart.sleep import Sleeper
from soul.heart.state_model import StateModel
from soul.heart.tables import load
from soul.heart.thinning import first_wake

NOON = 1772424000.0
INFLUENCE = Modulation(unconsolidated=5.0)
WAKES = 10_000
#: The loop is slow: so many wakes are measured, and reckoned up.
LOOP_WAKES = 500
HORIZON = 40 * DAY


def new_life() -> StateModel:
    """A life with the default parameters."""
    life = StateModel(HeartParams(Sleeper(LocalClock(ZoneInfo('Europe/Berlin'))), load().drives))
    life.live(NOON)
    return life


def woken(life: StateModel, rng: random.Random) -> None:
    """What a waking leaves behind: curiosity is low, and she talks in one of five."""
    if not life.asleep:
        life.drives.set('curiosity', 0.2)
    if rng.random() < 0.2:
        life.ease(['talk'])


def thinned(wakes: int, step: float = 900.0, seed: int = 1) -> tuple[float, float]:
    """Sample so many wakes; seconds it took and days lived."""
    life, rng = new_life(), random.Random(seed)
    now = NOON
    began = time.perf_counter()
    for _ in range(wakes):
        found = first_wake(life.forecast(INFLUENCE).segments(now, now + HORIZON, step), rng)
        if found is None:
            raise RuntimeError('she never wakes')
        now = found[0]
        life.live(now)
        woken(life, rng)
    return time.perf_counter() - began, (now - NOON) / DAY


def looped(wakes: int, seed: int = 1) -> tuple[float, float]:
    """Do the same with a die thrown each minute."""
    life, rng = new_life(), random.Random(seed)
    now, count = NOON, 0
    began = time.perf_counter()
    while count < wakes:
        now += 60.0
        life.live(now)
        if rng.random() < life.forecast(INFLUENCE).rate(now) / 60.0:
            count += 1
            woken(life, rng)
    return time.perf_counter() - began, (now - NOON) / DAY


def year() -> tuple[float, float]:
    """Let the whole organ live a year with a scripted mind; seconds and wakings a day."""
    life = HeartLife()
    began = time.perf_counter()
    lived = life.live(365)
    return time.perf_counter() - began, len(lived.wakes) / 365


def figures() -> list[Figure]:
    """Measure, the best of three where a run is short."""
    sampled, days = min(thinned(WAKES, seed=1) for _ in range(3))
    loop, loop_days = looped(LOOP_WAKES)
    loop_year = loop / loop_days * 365
    whole, _ = min(year() for _ in range(2))
    bare = sampled / days * 365
    loop_name = 'per-minute Bernoulli loop'
    return [
        Figure('10,000 wakes sampled', sampled, 's', loop / LOOP_WAKES * WAKES, loop_name),
        Figure('wakes sampled per second', WAKES / sampled, '1/s', LOOP_WAKES / loop, loop_name),
        Figure('a year of sampling alone', bare, 's', loop_year, loop_name),
        Figure('a year of the whole heart', whole, 's', loop_year, loop_name),
        Figure('days of the whole heart per second', 365 / whole, 'd/s'),
        *(
            Figure(f'10,000 wakes with a step of {step:g} s', thinned(WAKES, step)[0], 's')
            for step in (60.0, 3600.0)
        ),
    ]


if __name__ == '__main__':
    for figure in figures():
        print(figure)
