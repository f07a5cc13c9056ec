"""What a provider reads anew: input tokens outside its cache, over a simulated week.

A whole life on a virtual clock, its requests as they go over HTTP, in front of a server that keeps
a cache as providers do: of what a request begins with, the longest part that an earlier one began
with, in whole blocks of 1,024 tokens, is served from it if it was read or served within the
lifetime. Four characters are reckoned as a token. Nothing is cold but by that rule.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import tempfile
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import httpx

from bench.figure import Figure
from soul.core.clock import VirtualClock
from soul.core.organ import Finish, Organ
from soul.core.output import Outputs
from soul.mind.providers.base import Completion, Request
from soul.mind.providers.openai import OpenAI
from soul.signals import (
    BodyState,
    LookAtGoal,
    LookAtResult,
    Message,
    PostRequest,
    SayGoal,
    SayResult,
    SayState,
    View,
)
from soul.sim.drive import VirtualLife
from soul.sim.graph import Graph
from soul.store import Home

BIRTH = datetime(2026, 3, 2, 8, 0, tzinfo=timezone.utc).timestamp()
DAY = 86400.0
DAYS = 7
BLOCK = 1024  # tokens
CHARACTERS = 4  # a token
WORDS = (
    'rain', 'window', 'fog', 'lamp', 'quiet', 'morning', 'book', 'moss', 'street', 'night', 'warm',
    'small', 'question', 'yellow', 'shadow', 'tea', 'kettle', 'corner', 'dust', 'letter', 'river',
    'answer', 'door', 'glass', 'bird', 'somebody', 'remember', 'sleep', 'old', 'blue', 'stone',
)  # fmt: skip


class Cache:
    """A provider's cache of prompts with a lifetime, s."""

    def __init__(self, lifetime: float) -> None:
        self._lifetime = lifetime
        self._seen: dict[bytes, float] = {}  # beginning of a prompt -> when it was used last
        self._at = -1e18
        self.all = self.fresh = 0  # tokens
        self.warm_all = self.warm_fresh = 0  # ... of requests within a lifetime of the one before
        self.requests = self.warm_requests = 0

    def read(self, text: str, now: float) -> int:
        """Read a prompt; returns how many tokens of it the cache serves."""
        beginnings, digest = [], hashlib.sha256()
        step = BLOCK * CHARACTERS
        for start in range(0, len(text) - step + 1, step):
            digest.update(text[start : start + step].encode())
            beginnings.append(digest.digest())
        cached = 0
        for number, beginning in enumerate(beginnings, 1):
            if now - self._seen.get(beginning, -1e18) > self._lifetime:
                break
            cached = number * BLOCK
        for beginning in beginnings:
            self._seen[beginning] = now
        tokens = len(text) // CHARACTERS
        self.all += tokens
        self.fresh += tokens - cached
        self.requests += 1
        if now - self._at <= self._lifetime:
            self.warm_all += tokens
            self.warm_fresh += tokens - cached
            self.warm_requests += 1
        self._at = now
        return cached


class Body(Organ):
    """Says and looks at once."""

    says = {'body/state': BodyState}
    performs = {'body/say': SayGoal, 'body/look_at': LookAtGoal}

    def start(self, now: float) -> Outputs:
        """It is there."""
        yield BodyState(connected=1)

    def perform_say(self, goal: SayGoal, handle: str, now: float) -> Outputs:
        """Say it."""
        yield Finish(handle, SayResult(SayState.DONE))

    def perform_look_at(self, goal: LookAtGoal, handle: str, now: float) -> Outputs:
        """Look there."""
        yield Finish(handle, LookAtResult(True, yaw=goal.yaw, pitch=goal.pitch))


class Server(httpx.AsyncBaseTransport):
    """Plays the model: answers people, now and then looks, writes, remembers, and sleeps."""

    def __init__(self, clock: VirtualClock, seed: int) -> None:
        self._clock = clock
        self._rng = random.Random(seed)
        self.view, self.step = View(), 0
        self.caches = {3600.0: Cache(3600.0), 300.0: Cache(300.0)}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Read a request and answer it."""
        body = json.loads(await request.aread())
        # tools stand first in every provider's prompt
        text = json.dumps([body.get('tools'), *body['messages']], ensure_ascii=False)
        cached = [cache.read(text, self._clock.now()) for cache in self.caches.values()]
        await self._clock.sleep(self._rng.uniform(1.0, 6.0))
        message = {
            'role': 'assistant',
            'content': self._words(8),
            'tool_calls': list(self._acts()),
        }
        usage = {
            'prompt_tokens': len(text) // CHARACTERS,
            'completion_tokens': len(json.dumps(message)) // CHARACTERS,
            'prompt_tokens_details': {'cached_tokens': cached[0]},
        }
        choice = {'message': message, 'finish_reason': 'tool_calls'}
        told = json.dumps({'choices': [choice], 'usage': usage}).encode()
        headers = {'content-type': 'application/json'}
        return httpx.Response(200, headers=headers, stream=httpx.ByteStream(told), request=request)

    def _acts(self) -> Iterator[dict[str, Any]]:
        number = self._rng.randrange(10**9)
        waiting = self.view.messages if self.step == 0 else ()
        for message in waiting:
            yield _call('reply', number, text=self._words(25), message=message.id)
        if waiting or (self.step < 4 and self._rng.random() < 0.7):
            name = self._rng.choice(['look', 'diary', 'remember', 'wait', 'recall'])
            arguments = {
                'look': {'direction': self._rng.choice(['left', 'right', 'up'])},
                'diary': {'text': self._words(40)},
                'remember': {'text': self._words(15)},
                'wait': {'minutes': 1},
                'recall': {'query': self._words(2)},
            }[name]
            yield _call(name, number + 1, **arguments)
        else:
            yield _call('sleep', number + 1)

    def _words(self, count: int) -> str:
        return ' '.join(self._rng.choice(WORDS) for _ in range(count))


class Client(OpenAI):
    """The real client, in front of the server."""

    def __init__(self, server: Server) -> None:
        super().__init__('http://127.0.0.1:9/v1', 'm', stream=False, transport=server)
        self._server = server

    async def complete(self, request: Request, heard: Any, key: str = '') -> Completion:
        """Ask once."""
        self._server.view, self._server.step = request.view, request.step
        return await super().complete(request, heard, key)


def _call(name: str, number: int, **arguments: Any) -> dict[str, Any]:
    function = {'name': name, 'arguments': json.dumps(arguments)}
    return {'id': f'c{number}', 'type': 'function', 'function': function}


async def _week(home: Path, seed: int) -> tuple[Server, int]:
    clock, rng = VirtualClock(BIRTH), random.Random(seed)
    server = Server(clock, seed)
    graph = Graph(
        Home(home),
        clock,
        random.Random(seed),
        {
            'mind': {'settle_seconds': 0.0},
            'field': {'embedder': 'hash', 'channels': ('time', 'body', 'door')},
            'heart': {'timezone': 'UTC'},
            'guard': {'timezone': 'UTC', 'daily_tokens': 0, 'daily_cost': 0.0},
        },
        {'body': Body()},
        Client(server),
    )
    turns: list[Any] = []
    graph.bus.listen('mind/turn', turns.append)
    life = VirtualLife(graph.bus, clock)
    graph.start()
    await life.settle()
    number = 0
    for day in range(DAYS):
        for hour in sorted(rng.uniform(1.0, 14.0) for _ in range(3)):
            await life.until(BIRTH + day * DAY + hour * 3600.0)
            for _ in range(rng.randrange(1, 5)):  # a talk of a few messages
                number += 1
                text = ' '.join(rng.choice(WORDS) for _ in range(12))
                message = Message(id=f'm{number}', sender='ann', text=text, trusted=True)
                graph.bus.call('door/post', PostRequest(message), lambda answer: None)
                await life.until(clock.now() + rng.uniform(20.0, 90.0))
    await life.until(BIRTH + DAYS * DAY)
    await graph.close()
    return server, len(turns)


def figures() -> list[Figure]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        server, turns = asyncio.run(_week(Path(folder) / 'home', 1))
    found = []
    for lifetime, cache in server.caches.items():
        kept = f'{lifetime / 60.0:.0f} min'
        found += [
            Figure(
                f'input tokens outside the cache, requests within {kept} of the one before',
                100.0 * cache.warm_fresh / cache.warm_all,
                '%',
                15.0,
                f'the goal; {cache.warm_requests} of {cache.requests} requests',
            ),
            Figure(
                f'... all requests of the week, lifetime {kept}, cold ones too',
                100.0 * cache.fresh / cache.all,
                '%',
                100.0,
                f'{cache.all:,} input tokens of {turns} wakings',
            ),
        ]
    return found
