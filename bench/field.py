"""Ticks of the field, from sensing to the rendered view, beside a matrix-vector product."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

import numpy as np

from bench.figure import Figure
from soul.field.config import FieldConfig
from soul.field.embed.hashed import HashedEmbedder
from soul.field.perception import Perception
from soul.field.readings import ChannelReading, ItemUpdate
from soul.signals import AttendAction, AttendRequest

_TALK = (
    'whale song rocket launch moon garden tea robot wheel letter rain bench river stone '
    'station orbit ending essay dialect friend evening window battery planet'
)
_WORDS = _TALK.split()
_NOW = 1_791_168_660.0


def things(count: int, seed: int = 1) -> ChannelReading:
    """Return so many different things that nobody has seen yet."""
    rng = random.Random(seed)
    sights = [
        ItemUpdate(
            f'k{n}',
            'note',
            'test',
            f'{" ".join(rng.choice(_WORDS) for _ in range(10))} {n}',
            salience=rng.uniform(0.2, 0.44),
        )
        for n in range(count)
    ]
    return ChannelReading('test', updates=sights)


def timed(work: Callable[[], object], samples: int) -> list[float]:
    """Times of single calls, s."""
    times = []
    for _ in range(samples):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return times


def cached(count: int, samples: int) -> list[float]:
    """Ticks of a field that holds so many things, all with vectors; all of them fit in."""
    seen = Perception(FieldConfig(timezone='UTC', capacity_chars=1_000_000))
    seen.impress(things(count), _NOW)
    seen.attend(AttendRequest(AttendAction.FOCUS, text='the song of the whales'), _NOW)
    now = _NOW
    while not seen.world.items.rows['embedded'][seen.world.items.rows['placed']].all():
        seen.tick(now)

    def tick() -> None:
        nonlocal now
        now += 1.0
        seen.tick(now)
        seen.view(now)

    return timed(tick, samples)


def product(count: int, samples: int) -> list[float]:
    """The reference: a matrix-vector product of the same size, as numpy does it by itself."""
    rng = np.random.default_rng(1)
    dimensions = HashedEmbedder().dimensions
    matrix = rng.standard_normal((count, dimensions)).astype(np.float32)
    vector = rng.standard_normal(dimensions).astype(np.float32)
    return timed(lambda: matrix @ vector, samples)


def all_new(count: int, samples: int) -> tuple[list[float], list[float], float]:
    """Times of a tick into which so many new things came, and with their coming; fullness."""
    ticks, whole, fullness = [], [], 0.0
    for seed in range(samples):
        seen = Perception(FieldConfig(timezone='UTC'))
        seen.tick(_NOW)
        new = things(count, seed)
        began = time.perf_counter()
        seen.impress(new, _NOW + 1.0)
        came = time.perf_counter()
        seen.tick(_NOW + 10.0)
        seen.view(_NOW + 10.0)
        ended = time.perf_counter()
        ticks.append(ended - came)
        whole.append(ended - began)
        fullness = max(fullness, seen.world.fullness())
    return ticks, whole, fullness


def figures(samples: int = 50) -> list[Figure]:
    """Measure; medians."""
    found: list[Figure] = []
    ticks = {}
    for count in (60, 1_000, 10_000):
        ticks[count] = statistics.median(cached(count, samples))
        reference = statistics.median(product(count, samples))
        found.append(
            Figure(
                f'tick to view, {count:,} things, vectors cached',
                1e3 * ticks[count],
                'ms',
                1e3 * reference,
                f'{count:,} x 512 matrix-vector product',
            )
        )
    found.append(Figure('tick of 10,000 / tick of 1,000', ticks[10_000] / ticks[1_000], ''))
    for count in (60, 1_000):
        tick, whole, fullness = all_new(count, max(3, samples // 2))
        found += [
            Figure(f'tick to view, {count:,} things all new', 1e3 * statistics.median(tick), 'ms'),
            Figure('  and with their coming', 1e3 * statistics.median(whole), 'ms'),
            Figure('  share of the capacity afterwards, at most', fullness, ''),
        ]
    texts = [sight.text for sight in things(1_000).updates]
    embedder = HashedEmbedder()
    hashing = statistics.median(timed(lambda: embedder.embed(texts), max(3, samples // 3)))
    found.append(Figure('hashing a text of 65 characters', 1e3 * hashing, 'us'))
    return found


if __name__ == '__main__':
    for figure in figures():
        print(figure)
