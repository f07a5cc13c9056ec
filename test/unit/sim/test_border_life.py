"""Whatever is said to her by whomever: nobody fails, and no file of hers grows without end."""

import asyncio
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soul.body.config import BodyConfig
from soul.body.twin import BodyTwin
from soul.core.clock import VirtualClock
from soul.field.field import Field
from soul.guard.guard import Guard
from soul.heart.heart import Heart
from soul.mind.organ import MindOrgan
from soul.sim.drive import VirtualLife
from soul.sim.graph import Graph
from soul.store import Home
from support.worlds.border import signals
from support.worlds.fortnight import BIRTH, PlainBody

pytestmark = pytest.mark.usefixtures('quick_disk')

ORGANS = (Guard, Field, Heart, MindOrgan, BodyTwin)
TOPICS = sorted({(t, kind.__name__) for organ in ORGANS for t, kind in organ.hears.items()})
HEARS = {topic: kind for organ in ORGANS for topic, kind in organ.hears.items()}
#: Her own door and what stops her are tested elsewhere; here she goes on.
SERVES = {
    name: kind
    for organ in ORGANS
    for name, kind in organ.serves.items()
    if name not in ('stop', 'pause')
}
#: Of one memory after a few dozen of the worst signals, bytes.
MOST_MEMORY = 6_000_000

SAID = st.sampled_from(sorted(HEARS)).flatmap(
    lambda topic: st.tuples(st.just(topic), signals(HEARS[topic]))
)
ASKED = st.sampled_from(sorted(SERVES)).flatmap(
    lambda name: st.tuples(st.just(name), signals(SERVES[name]))
)


async def _live(home, said):
    clock = VirtualClock(BIRTH)
    errors = []
    graph = Graph(
        home,
        clock,
        random.Random(1),
        {
            'mind': {'settle_seconds': 0.0},
            'field': {'embedder': 'hash', 'channels': ('time', 'body', 'door')},
            'guard': {'timezone': 'UTC'},
            'heart': {'timezone': 'UTC'},
        },
        {'body': PlainBody(), 'twin': BodyTwin(BodyConfig())},
        report=lambda organ, level, text: errors.append(text) if level == 'error' else None,
    )
    virtual = VirtualLife(graph.bus, clock)
    graph.start()
    await virtual.settle()
    for name, signal in said:
        if name in SERVES:
            graph.bus.call(name, signal, lambda answer: None)
        else:
            graph.bus.say(name, signal)
        await virtual.settle()
        await virtual.until(clock.now() + 30.0)
    await graph.close()
    return errors


@pytest.mark.long
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(said=st.lists(st.one_of(SAID, ASKED), min_size=1, max_size=6))
def test_random_signals_of_every_type_hurt_no_organ(tmp_path_factory, said):
    """found 3, 17, 61: one message ended the process, filled her view, her files or her day."""
    home = Home(tmp_path_factory.mktemp('home'))

    async def lives():
        await asyncio.wait_for(_live(home, said), 60)
        await asyncio.wait_for(_live(home, []), 60)  # and again, with what they left behind

    asyncio.run(lives())
    for file in home.path.glob('*.json'):
        assert file.stat().st_size < MOST_MEMORY, file.name
