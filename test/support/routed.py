"""Providers whose models and keys fail at random, each with counters of its own.

Bytes go through the real client, only the socket is left out; time is virtual.
"""

import json
import random

import httpx

from soul.keys import Key
from soul.mind.providers.catalogue import ProviderEntry
from soul.mind.providers.model_entry import ModelEntry, Prices
from soul.mind.providers.openai import OpenAI
from soul.mind.providers.router import Router
from support import odd_model
from support.strict_server import strict_problems

URL = 'http://127.0.0.1:9/v1'
MODELS = (
    ModelEntry(
        name='big', provider='acme', base_url=URL, model='big',
        prices=Prices(read=3.0, cached=0.3, cache_write=3.75, written=15.0),
    ),
    ModelEntry(
        name='small', provider='acme', base_url=URL, model='small',
        prices=Prices(read=0.5, cached=0.05, written=2.0),
    ),
    ModelEntry(
        name='other', provider='umbra', base_url=URL, model='other',
        prices=Prices(read=1.0, written=4.0),
    ),
)  # fmt: skip
KEYS = {'acme': ('a1', 'a2', 'a3'), 'umbra': ('u1', 'u2')}
READ, CACHED, OUT = 4000, 1000, 60

#: What a server that is down answers; none of it is charged.
DOWN = {
    '401': lambda: odd_model.error(401, 'no such key'),
    '402': lambda: odd_model.error(402, 'no money'),
    '403': lambda: odd_model.error(403, 'not from here'),
    '404': lambda: odd_model.error(404, 'model not found'),
    '408': lambda: odd_model.error(408, 'timeout'),
    '422': lambda: odd_model.error(422, 'what is that?'),
    '429': lambda: odd_model.error(429, 'slow down'),
    '429 for a while': lambda: odd_model.error(429, 'slow down', **{'retry-after': '40'}),
    '500': lambda: odd_model.error(500, 'boom'),
    '503': lambda: (503, {'content-type': 'text/html'}, ['<html>busy</html>']),
    '529': lambda: odd_model.error(529, 'overloaded'),
    'nobody there': lambda: httpx.ConnectError('refused'),
    'silent': lambda: httpx.ConnectTimeout(''),
}
#: What is charged although it is no answer: it is counted before it breaks.
CHARGED = {
    'empty': lambda: odd_model.stream(
        odd_model.chunk(finish_reason='stop'), odd_model.usage(READ, CACHED, OUT), odd_model.END
    ),
    'broken off': lambda: odd_model.stream(
        odd_model.usage(READ, CACHED, OUT), odd_model.chunk({'content': 'ha'}),
        httpx.RemoteProtocolError('peer closed connection'),
    ),
}  # fmt: skip


class Ring:
    """The keys, as they are."""

    def of(self, provider, variable=''):
        return tuple(Key(provider, name, 0.0, f'secret-{name}') for name in KEYS[provider])

    def redact(self, text):
        return text


class Providers:
    """All servers; every so often other models and keys are down, but never all."""

    def __init__(self, clock, seed, ring=None):
        self.clock, self.rng = clock, random.Random(seed)
        self.view = None
        self.spent = 0.0
        self.requests = []  # (model, key, what came)
        self.up = set()
        self.changes = 0.0
        self.router = Router(MODELS, PROVIDERS, ring or Ring(), self._client_of, clock.now)

    def _all(self):
        return [(m.name, key) for m in MODELS for key in KEYS[m.provider]]

    def _look(self):
        now = self.clock.now()
        if now >= self.changes:
            self.changes = now + self.rng.choice([30.0, 300.0, 3600.0])
            everybody = self._all()
            some = self.rng.randrange(1, 1 + len(everybody) // 2)
            self.up = set(self.rng.sample(everybody, some))

    def _client_of(self, model):
        outer = self

        class Transport(httpx.AsyncBaseTransport):
            async def handle_async_request(self, request):
                key = request.headers['authorization'].removeprefix('Bearer secret-')
                answer = outer.answer(model, key, json.loads(await request.aread()))
                if isinstance(answer, Exception):
                    raise answer
                status, headers, pieces = answer
                stream = odd_model.Broken(pieces, outer.clock.sleep)
                return httpx.Response(status, headers=headers, stream=stream, request=request)

        class Client(OpenAI):
            async def complete(self, request, heard, key=''):
                outer.view = request.view
                return await super().complete(request, heard, key)

        return Client(URL, model.model, transport=Transport())

    def answer(self, model, key, body):
        wrong = strict_problems(body['messages'])
        assert not wrong, wrong
        self._look()
        if (model.name, key) not in self.up:
            name = self.rng.choice(sorted(DOWN))
            self.requests.append((model.name, key, name))
            if name == '401':  # as some providers do
                return odd_model.error(401, f'no such key: secret-{key}')
            return DOWN[name]()
        self.spent += model.prices.cost(READ - CACHED, CACHED, 0, OUT)
        if self.rng.random() < 0.1:
            name = self.rng.choice(sorted(CHARGED))
            self.requests.append((model.name, key, name))
            return CHARGED[name]()
        self.requests.append((model.name, key, 'good'))
        good = odd_model.good(self.view, body)
        pieces = [p for p in good[2] if 'prompt_tokens' not in p and p != odd_model.END]
        return odd_model.stream(*pieces, odd_model.usage(READ, CACHED, OUT), odd_model.END)


PROVIDERS = {name: ProviderEntry(base_url=URL) for name in KEYS}
