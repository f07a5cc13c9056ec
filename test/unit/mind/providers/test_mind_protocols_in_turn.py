"""One life under four protocols, one after the other: each takes what the others have left."""

import asyncio
import json

import pytest

from soul.mind.messages import UserMessage
from soul.mind.providers.base import Usage
from soul.mind.providers.clients import client_of
from soul.mind.providers.read_watch import ReadWatch
from soul.signals import Outcome
from support.asking import entry, request
from support.minds import World, make, message, until, view
from support.model_server import JSON, ModelServer, Sends, answering
from support.protocol_rules import refused
from support.protocols import PROTOCOLS, Said, error

pytestmark = pytest.mark.usefixtures('quick_disk')


class InTurn:
    """Thinks with another protocol in each step."""

    name = 'in turn'

    def __init__(self, urls):
        self.clients = [
            client_of(entry(protocol, urls[protocol]), stream)
            for stream in (True, False)
            for protocol in PROTOCOLS
        ]
        self.asked = 0

    async def complete(self, request, heard):
        self.asked += 1
        return await self.clients[self.asked % len(self.clients)].complete(request, heard)

    async def close(self):
        for client in self.clients:
            await client.close()


def test_every_protocol_takes_what_was_lived_under_the_others(tmp_path):
    wrong = []

    def behave_as(protocol):
        def behave(body, number):
            problems = refused(protocol, body)
            if problems:
                wrong.append((protocol, problems))
                return Sends([error(protocol, 400, '; '.join(problems))], JSON, 400)
            call = ('same-id', 'diary', '{"text": "x 😀"}')
            end = ('', 'sleep', '{}')
            said = Said('hm', 'shall I?', (call, end) if number % 2 else (call,))
            streamed = body.get('stream', protocol == 'gemini')
            return answering(protocol, said, streamed)

        return behave

    servers = {protocol: ModelServer(behave_as(protocol)) for protocol in PROTOCOLS}
    world = World()

    async def life(first, last):
        thinker = InTurn({protocol: server.url for protocol, server in servers.items()})
        mind = make(tmp_path, thinker, world)
        mind.start()
        mind.activate()
        for number in range(first, last):
            done = len(world.turns)
            mind.on_view(view(number, message(number)))
            await until(lambda done=done: len(world.turns) > done, 20.0)
        await mind.close()

    try:
        asyncio.run(asyncio.wait_for(life(1, 9), 60))
        asyncio.run(asyncio.wait_for(life(9, 13), 60))  # nor after a restart
    finally:
        for server in servers.values():
            server.__exit__()
    assert wrong == []
    assert [turn.outcome for turn in world.turns] == [Outcome.SLEPT] * 12
    journal = (tmp_path / 'sessions' / 'life.jsonl').read_text('utf-8').splitlines()
    kept = [json.loads(line) for line in journal]
    origins = {
        thought['of'][0]
        for one in kept
        if one['kind'] == 'message'
        for thought in one['message'].get('thoughts', ())
    }
    assert origins == set(PROTOCOLS), 'all of it stays on the disk'


def test_a_server_that_leaves_out_the_beginning_is_told_of_once():
    """A window shorter than the request: the server cuts who she is, and answers with 200."""
    watch, long = ReadWatch(), request(UserMessage('word ' * 8000))
    assert watch.counted(long, Usage(9000)) == ''
    assert watch.counted(long, Usage()) == '', 'it does not count'
    assert 'has read 4096 of about' in watch.counted(long, Usage(4096))
    assert watch.counted(long, Usage(4096)) == ''
    assert watch.counted(request(), Usage(30)) == '', 'a short one is estimated badly'
    assert 'OLLAMA_CONTEXT_LENGTH' in watch.counted(long, Usage(4096))


def test_she_tells_of_a_server_that_leaves_out_the_beginning(tmp_path):
    said = Said(calls=(('a', 'sleep', '{}'),), read=100, cached=0)
    with ModelServer(lambda body, number: answering('chat', said)) as server:
        world = World()

        async def life():
            mind = make(tmp_path, client_of(entry('chat', server.url)), world)
            mind.start()
            mind.activate()
            mind.on_view(view(1))
            await until(lambda: world.turns)
            await mind.close()

        asyncio.run(asyncio.wait_for(life(), 30))
    told = [r for r in world.said if 'its window is' in getattr(r, 'text', '')]
    assert [r.level for r in told] == ['warning']
