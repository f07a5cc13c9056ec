"""A life over several models and keys that fail at random: nobody stays without an answer."""

import asyncio
import collections
import random

import pytest

from soul.core.clock import VirtualClock
from soul.keys import KeyRing, KeyStore, MasterKey
from support.routed import CHARGED, DOWN, KEYS, MODELS, Providers
from support.worlds.fortnight import BIRTH, DAY
from support.worlds.metered import World

pytestmark = pytest.mark.usefixtures('quick_disk')

NO_LIMITS = {'daily_tokens': 0, 'daily_cost': 0.0, 'daily_wakes': 0, 'timezone': 'UTC'}


@pytest.mark.long
@pytest.mark.parametrize('seed', [1, pytest.param(2, marks=pytest.mark.soak)])
def test_a_life_over_models_and_keys_that_fail_at_random(tmp_path, seed):
    async def life():
        clock, rng = VirtualClock(BIRTH), random.Random(seed)
        providers = Providers(clock, seed)
        world = World(
            tmp_path, None, seed, clock, providers.router, NO_LIMITS, requests_per_minute=1000
        )
        world.graph.start()
        await world.life.settle()
        number = 0
        while len(world.turns) < 500:
            number += 1
            world.post(number)
            await world.life.until(clock.now() + rng.choice([5.0, 60.0, 600.0, 1800.0]))
            assert number < 3000, 'she lives on'
        await world.life.until(clock.now() + DAY)
        await world.close()
        return world, providers, number

    world, providers, posted = asyncio.run(life())
    answered = {r.in_reply_to for r in world.replies if r.is_final and r.in_reply_to}
    assert answered == {f'm{n}' for n in range(1, posted + 1)}
    met = collections.Counter(what for _, _, what in providers.requests)
    assert set(met) == {*DOWN, *CHARGED, 'good'}, 'each failure was met'
    assert {m for m, _, what in providers.requests if what == 'good'} == {m.name for m in MODELS}
    # what she reckons is what the servers have counted
    assert world.states[-1].cost == pytest.approx(providers.spent)
    assert world.states[-1].cost_known
    # every request is told, with the name of its key and never the key
    assert len(world.calls) == len(providers.requests)
    assert [(c.model, c.key) for c in world.calls] == [(m, k) for m, k, _ in providers.requests]
    assert sum(c.cost for c in world.calls) == pytest.approx(providers.spent)
    assert not any('secret' in repr(call) for call in world.calls)
    failed = [c for c in world.calls if c.failure]
    assert {c.status for c in failed} >= {401, 402, 403, 404, 408, 422, 429, 500, 503, 529, 0}


def test_no_key_is_written_anywhere(tmp_path):
    """Not in the log, the audit, a topic, her session, nor in the file of the keys itself."""
    master = MasterKey.find(tmp_path, {}, create=True)
    for provider, names in KEYS.items():
        for name in names:
            KeyStore(tmp_path, master).add(provider, name, f'secret-{name}')

    async def life():
        clock = VirtualClock(BIRTH)
        providers = Providers(clock, 1, KeyRing(tmp_path, {}))
        world = World(
            tmp_path, None, 1, clock, providers.router, NO_LIMITS, requests_per_minute=1000
        )
        world.graph.start()
        await world.life.settle()
        for number in range(60):
            world.post(number)
            await world.life.until(clock.now() + 600.0)
        await world.close()
        return world, providers

    world, providers = asyncio.run(life())
    assert sum(what == '401' for _, _, what in providers.requests) > 3, 'they were said to her'
    told = repr([world.reports, world.calls, world.states, world.turns, world.replies])
    written = b''.join(path.read_bytes() for path in tmp_path.rglob('*') if path.is_file())
    assert '(key)' in told
    for names in KEYS.values():
        for name in names:
            assert f'secret-{name}' not in told
            assert f'secret-{name}'.encode() not in written
