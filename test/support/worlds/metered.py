"""A life on a virtual clock whose thinking costs money, in front of servers of a test."""

import asyncio
import random

from soul.core.clock import VirtualClock
from soul.signals import Message, PostRequest
from soul.sim.drive import VirtualLife
from soul.sim.graph import Graph
from soul.store import Home
from support import odd_model
from support.worlds.fortnight import BIRTH, PlainBody

TOKENS, COST, WAKES, CEILING = 400_000, 1.0, 400, 30
LIMITS = {'daily_tokens': TOKENS, 'daily_cost': COST, 'daily_wakes': WAKES, 'timezone': 'UTC'}
PRICES = {'price_in': 1.0, 'price_cached': 0.1, 'price_out': 4.0}


class World:
    """A life on a virtual clock in front of a model that behaves as a test says."""

    def __init__(self, home, behave, seed=1, clock=None, model=None, limits=LIMITS, **mind):
        self.clock = clock or VirtualClock(BIRTH)
        self.model = model or odd_model.OddModel(behave, self.clock)
        self.turns, self.energies, self.replies, self.reports = [], [], [], []
        self.calls, self.states = [], []
        parameters = {
            'mind': {'settle_seconds': 0.0, **PRICES, **mind},
            'field': {'embedder': 'hash', 'channels': ('time', 'body', 'door')},
            'guard': limits,
            'heart': {'timezone': 'UTC'},
        }
        self.graph = Graph(
            Home(home), self.clock, random.Random(seed), parameters, {'body': PlainBody()},
            self.model, report=lambda *said: self.reports.append(said),
        )  # fmt: skip
        self.life = VirtualLife(self.graph.bus, self.clock)
        self.graph.bus.listen('mind/turn', self.turns.append)
        self.graph.bus.listen('guard/energy', self.energies.append)
        self.graph.bus.listen('door/reply', self.replies.append)
        self.graph.bus.listen('mind/call', self.calls.append)
        self.graph.bus.listen('mind/state', self.states.append)

    def post(self, number, **more):
        message = Message(id=f'm{number}', sender='ann', text=f'hello {number}', **more)
        taken = []
        self.graph.bus.call('door/post', PostRequest(message), taken.append)
        return taken

    async def close(self):
        await self.graph.close()
        await self.model.close()


def live(home, behave, seconds, posts=(), **more):
    """Live for a while; `posts` are (second, number)."""

    async def life():
        world = World(home, behave, **more)
        world.graph.start()
        await world.life.settle()
        for at, number in posts:
            await world.life.until(BIRTH + at)
            world.post(number)
        await world.life.until(BIRTH + seconds)
        await world.close()
        return world

    return asyncio.run(life())
