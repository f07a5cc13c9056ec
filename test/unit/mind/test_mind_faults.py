"""Faults that users of such systems reported, each over a real socket or with a real journal."""

import asyncio
import json
import time

import pytest

from soul.mind.providers.base import ProviderError
from soul.mind.providers.openai import OpenAI
from soul.mind.transcript import problems
from soul.signals import Outcome
from soul.store import Journal
from support.messages import typed, user
from support.minds import Player, World, calls, make, message, until, view
from support.provider import USAGE, FakeServer, call
from support.waiting import (
    never,
    still,
)

pytestmark = pytest.mark.usefixtures('quick_disk')


def live(tmp_path, behave, *views, stream=True, **config):
    """Wakings against a real server; returns the world and what the server was asked."""
    server = FakeServer(behave)

    async def life():
        world = World()
        provider = OpenAI(server.url, 'm', '', stream, 0.0, 5.0)
        mind = make(tmp_path, provider, world, **config)
        mind.start()
        mind.activate()
        for number, seen in enumerate(views, 1):
            mind.on_view(seen)
            await until(lambda n=number: len(world.turns) >= n, 15.0)
        await mind.close()
        world.made.close()
        return world

    try:
        return asyncio.run(asyncio.wait_for(life(), 30)), server.requests
    finally:
        server.close()


def steps(*answers):
    """A server that gives these answers in turn, then sleeps."""
    left = list(answers)

    def behave(body):
        answer = left.pop(0) if left else {'tool_calls': [call('sleep', {})]}
        return answer(body) if callable(answer) else answer

    return behave


def strict(behave):
    """A server that refuses what a strict provider refuses."""

    def check(body):
        wrong = problems([typed(m) for m in body['messages'] if m['role'] != 'system'])
        return (
            (400, json.dumps({'error': {'message': '; '.join(wrong)}})) if wrong else behave(body)
        )

    return check


@pytest.mark.parametrize('stream', [True, False])
def test_reasoning_is_sent_back_after_a_tool_call_within_its_waking_only(tmp_path, stream):
    thinking = {'reasoning_content': 'let me write', 'tool_calls': [call('diary', {'text': 'x'})]}

    def reasoned(body):
        if not stream:
            return thinking

        def play(handler):
            handler.begin_stream()
            for delta in ({'reasoning_content': 'let me '}, {'reasoning_content': 'write'},
                          {'tool_calls': thinking['tool_calls']}):  # fmt: skip
                handler.event(json.dumps({'choices': [{'delta': delta}]}))
            handler.event('[DONE]')
            handler.end_stream()

        return play

    _, asked = live(tmp_path, strict(steps(reasoned)), view(1, message(1)), view(2), stream=stream)
    said = [m for m in asked[1]['messages'] if m['role'] == 'assistant']
    assert said[0]['reasoning_content'] == 'let me write'
    later = [m for m in asked[2]['messages'] if m['role'] == 'assistant']
    assert not any('reasoning_content' in m for m in later)


def test_signed_reasoning_goes_back_word_for_word_for_ever(tmp_path):
    signed = [{'type': 'reasoning.encrypted', 'data': 'b64=', 'index': 0}]
    answer = {'reasoning_details': signed, 'tool_calls': [call('diary', {'text': 'x'})]}
    _, asked = live(tmp_path, strict(steps(answer)), view(1), view(2), view(3), stream=False)
    for request in asked[1:]:
        assert any(m.get('reasoning_details') == signed for m in request['messages'])


def test_ids_that_a_server_repeats_or_leaves_out_do_not_poison_the_transcript(tmp_path):
    """The same id in each waking, and none at all: every later call would be refused."""
    same = {'tool_calls': [call('diary', {'text': 'x'})]}
    none = {'tool_calls': [{**call('diary', {'text': 'y'}), 'id': ''}]}
    world, asked = live(tmp_path, strict(steps(same, none, same, none)), view(1), view(2), view(3))
    assert [t.outcome for t in world.turns] == [Outcome.SLEPT] * 3
    assert len(asked) >= 5
    world, _ = live(tmp_path, strict(steps(same)), view(4), view(5))
    assert [t.outcome for t in world.turns] == [Outcome.SLEPT] * 2, 'nor after a restart'
    entries = (tmp_path / 'sessions' / 'life.jsonl').read_text().splitlines()
    kept = [json.loads(entry) for entry in entries]
    assert problems([typed(e['message']) for e in kept if e['kind'] == 'message']) == []


def test_a_stream_that_breaks_in_mid_call_leaves_nothing_behind(tmp_path):
    def half(handler):
        handler.begin_stream()
        broken = call('diary', '{"text": "ha')
        handler.event(json.dumps({'choices': [{'delta': {'tool_calls': [broken]}}]}))
        handler.end_stream()

    world, asked = live(tmp_path, strict(steps(lambda body: half)), view(1, message(1)))
    assert world.turns[0].outcome == Outcome.FAILED
    assert not world.turns[0].calls
    assert not (tmp_path / 'soul' / 'DIARY.md').exists()
    again, asked = live(tmp_path, strict(steps()), view(2, message(1)))
    assert again.turns[0].outcome == Outcome.SLEPT
    assert len(asked) == 1


def test_a_server_that_says_tool_use_without_a_call_has_failed(tmp_path):
    def empty(handler):
        handler.begin_stream()
        handler.event(json.dumps({'choices': [{'delta': {}, 'finish_reason': 'tool_calls'}]}))
        handler.event('[DONE]')
        handler.end_stream()

    world, _asked = live(tmp_path, strict(steps(lambda body: empty)), view(1, message(1)))
    assert world.turns[0].outcome == Outcome.FAILED
    assert 'empty answer' in world.turns[0].detail
    assert world.turns[0].messages_seen == ()
    assert [r.is_final for r in world.replies] == [False], 'who waits is told'


def test_a_request_that_is_too_long_is_shortened_and_asked_again(tmp_path):
    def small(body):
        length = len(json.dumps(body['messages']))
        if length > limit[0]:
            said = {'error': {'message': f'maximum context length exceeded: {length}'}}
            return (400, json.dumps(said))
        return {'content': 'hm ' * 200, 'tool_calls': [call('sleep', {})]}

    limit = [10**9]
    views = [view(n, text='something ' * 20) for n in range(1, 31)]
    world, asked = live(tmp_path, small, *views)
    whole = len(json.dumps(asked[-1]['messages']))
    limit[0] = whole * 3 // 4
    world, asked = live(tmp_path, small, view(31), view(32))
    assert [t.outcome for t in world.turns] == [Outcome.SLEPT] * 2, 'she is not stuck'
    assert len(asked) == 3
    assert any('An account of earlier wakings' in str(m['content']) for m in asked[1]['messages'])


def test_a_server_that_asks_to_be_left_alone_is_left_alone(tmp_path):
    asked_at = []

    def limited(body):
        asked_at.append(time.monotonic())

        def play(handler):
            body = b'slow down'
            handler.send_response(429)
            handler.send_header('Retry-After', '3')
            handler.send_header('Content-Length', str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        return play if len(asked_at) == 1 else {'tool_calls': [call('sleep', {})]}

    live(tmp_path, limited, view(1, message(1)), view(2, message(1)))
    assert len(asked_at) == 2
    assert asked_at[1] - asked_at[0] >= 3.0, 'nobody asks during a pause: it would prolong it'


def test_zero_usage_from_a_server_leaves_shortening_to_the_estimate(tmp_path):
    def silent(handler):
        handler.begin_stream()
        delta = {'content': 'hm ' * 300, 'tool_calls': [call('sleep', {})]}
        handler.event(json.dumps({'choices': [{'delta': delta}], 'usage': {'prompt_tokens': 0}}))
        handler.event('[DONE]')
        handler.end_stream()

    views = [view(n, text='something ' * 20) for n in range(1, 41)]
    _, asked = live(tmp_path, lambda body: silent, *views, ceiling_tokens=6000, keep_tokens=1500)
    wakings = [r for r in asked if r.get('tools')]
    assert max(len(json.dumps(r['messages'])) for r in wakings) < 4 * 6000 * 1.5
    assert USAGE['prompt_tokens'] == 120


def test_the_tool_list_and_the_core_never_change(tmp_path):
    _, asked = live(tmp_path, steps(), view(1), view(2, message(1)), view(3))
    assert len({json.dumps(r['tools']) for r in asked}) == 1
    assert len({r['messages'][0]['content'] for r in asked}) == 1
    assert not any(r['messages'][n]['role'] == 'system' for r in asked
                   for n in range(1, len(r['messages'])))  # fmt: skip


def test_shortening_never_keeps_a_message_waiting(tmp_path):
    async def life():
        world = World()
        begun = asyncio.Event()

        class Slow:
            name = 'slow'

            async def complete(self, request, heard):
                if request.purpose == 'summary':
                    begun.set()
                    await never()
                return calls(('sleep', '{}'), text='hm ' * 900)

            async def close(self):
                pass

        mind = make(tmp_path, Slow(), world, ceiling_tokens=5000, keep_tokens=500)
        mind.start()
        mind.activate()
        number = 0
        while not begun.is_set():
            number += 1
            mind.on_view(view(number, text='seen ' * 50))
            await until(lambda n=number: len(world.turns) == n)
            await still()
        mind.on_view(view(number + 1, message(1)))
        await until(lambda: len(world.turns) == number + 1, 2.0)
        assert world.turns[-1].messages_seen == ('m1',)
        await mind.close()

    asyncio.run(asyncio.wait_for(life(), 30))


@pytest.mark.parametrize('after', range(1, 9))
def test_a_disk_that_fills_up_in_mid_turn_ends_the_turn_and_not_her(tmp_path, monkeypatch, after):
    async def life():
        world = World()
        written = [0]
        real = Journal.append

        def append(self, entry, durable=True):
            written[0] += 1
            if written[0] > after:
                raise OSError(28, 'No space left on device')
            real(self, entry, durable)

        monkeypatch.setattr(Journal, 'append', append)
        turn = (calls(('reply', '{"text": "hi"}')), calls(('sleep', '{}')))
        mind = make(tmp_path, Player(*turn), world)
        mind.start()
        mind.activate()
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns, 5.0)
        assert world.state.phase == 'idle'
        assert 'cannot be written' in mind.status.trouble
        # there is room again: she goes on, and what was not answered is
        monkeypatch.setattr(Journal, 'append', real)
        mind.on_view(view(2, message(1), message(2)))
        await until(lambda: any(t.wake.sequence == 2 for t in world.turns), 5.0)
        assert mind.status.trouble == ''
        ids = {r.in_reply_to: r.id for r in world.replies if r.is_final}
        assert len(ids) == len({(r.in_reply_to, r.id) for r in world.replies if r.is_final})
        await mind.close()

    asyncio.run(asyncio.wait_for(life(), 30))


def test_an_error_never_carries_the_key_or_the_login(monkeypatch):
    monkeypatch.setenv('SOUL_TEST_KEY', 'sk-secret')
    server = FakeServer(lambda body: (500, 'boom'))
    address = server.url.replace('http://', 'http://user:pass@')

    async def ask():
        from soul.mind.providers.base import Request
        from soul.signals import View

        provider = OpenAI(address, 'm', 'SOUL_TEST_KEY')
        assert 'pass' not in provider.name
        try:
            with pytest.raises(ProviderError) as caught:
                await provider.complete(Request([user('x')], [], View(), 0), lambda k, t: None)
        finally:
            await provider.close()
        return caught.value

    try:
        error = asyncio.run(ask())
    finally:
        server.close()
    for secret in ('sk-secret', 'user:pass', ':pass@'):
        assert secret not in str(error)
        assert secret not in error.detail
