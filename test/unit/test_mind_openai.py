"""The OpenAI-compatible backend against a real server on a socket, well-behaved and not."""

import asyncio
import json

import pytest

from soul.mind.providers.base import ProviderError, Request, Usage
from soul.mind.providers.openai import OpenAI
from soul.mind.providers.sse import usage_from
from soul.signals import View
from support.provider import FakeServer, call


def ask(behave, stream=True, seconds=5.0, heard=None, **more):
    """Ask a server once and return its answer and the server."""
    server = FakeServer(behave)

    async def once():
        client = OpenAI(server.url, 'm', 'SOUL_TEST_KEY', stream, seconds=seconds, **more)
        request = Request([{'role': 'user', 'content': 'hi'}], [], View(), 0)
        try:
            return await client.complete(request, heard or (lambda kind, text: None))
        finally:
            await client.close()

    try:
        return asyncio.run(once()), server
    finally:
        server.close()


ANSWER = {
    'content': 'Two things at once, 你好.',
    'tool_calls': [call('reply', {'text': 'héllo'}, 0), call('speak', {'text': 'b' * 40}, 1)],
}


@pytest.mark.parametrize('stream', [True, False])
def test_text_calls_and_usage_arrive_whole(stream):
    pieces = []
    completion, server = ask(lambda body: ANSWER, stream, heard=lambda *p: pieces.append(p))
    assert completion.text == ANSWER['content']
    assert ''.join(text for kind, text in pieces if kind == 'text') == ANSWER['content']
    assert [c.name for c in completion.calls] == ['reply', 'speak']
    assert json.loads(completion.calls[0].arguments) == {'text': 'héllo'}
    assert json.loads(completion.calls[1].arguments) == {'text': 'b' * 40}
    usage = completion.usage
    assert (usage.tokens_in, usage.cached, usage.tokens_out) == (120, 100, 30)
    assert server.requests[0]['model'] == 'm'


def test_no_key_no_header(monkeypatch):
    monkeypatch.delenv('SOUL_TEST_KEY', raising=False)
    _, server = ask(lambda body: ANSWER)
    assert 'Authorization' not in server.headers[0]


def deltas(*chunks):
    """A stream of raw deltas, with its end."""

    def play(handler):
        handler.begin_stream()
        for chunk in chunks:
            handler.event(chunk if isinstance(chunk, str) else json.dumps(chunk))
        handler.event('[DONE]')
        handler.end_stream()

    return lambda body: play


def fragment(index, name='', arguments='', **more):
    return {'index': index, 'function': {'name': name, 'arguments': arguments}, **more}


def chunk(*fragments, **delta):
    return {'choices': [{'delta': {'tool_calls': list(fragments), **delta}}]}


def test_two_fragments_of_one_index_in_one_chunk_are_both_kept():
    completion, _ = ask(
        deltas(chunk(fragment(0, 'reply', '{"te', id='a'), fragment(0, '', 'xt": "x"}')))
    )
    assert completion.calls[0].arguments == '{"text": "x"}'


def test_interleaved_fragments_go_to_their_own_call():
    completion, _ = ask(
        deltas(
            chunk(fragment(0, 'reply', '{"a"', id='a'), fragment(1, 'speak', '{"b"', id='b')),
            chunk(fragment(1, '', ': 2}'), fragment(0, '', ': 1}')),
        )
    )
    assert [c.arguments for c in completion.calls] == ['{"a": 1}', '{"b": 2}']


def test_a_server_without_indices_means_the_call_it_named_last():
    def bare(name='', arguments=''):
        return {'function': {'name': name, 'arguments': arguments}}

    completion, _ = ask(
        deltas(
            chunk(bare('reply', '{"a"')),
            chunk(bare('', ': 1}')),
            chunk(bare('speak', '{"b": 2}')),
        )
    )
    assert [(c.name, c.arguments) for c in completion.calls] == [
        ('reply', '{"a": 1}'),
        ('speak', '{"b": 2}'),
    ]


def test_reasoning_is_heard_apart_from_text():
    pieces = []
    completion, _ = ask(
        deltas(
            {'choices': [{'delta': {'reasoning_content': 'hm'}}]},
            {'choices': [{'delta': {'content': 'yes'}, 'finish_reason': 'stop'}]},
        ),
        heard=lambda *piece: pieces.append(piece),
    )
    assert (completion.reasoning, completion.text) == ('hm', 'yes')
    assert pieces == [('reasoning', 'hm'), ('text', 'yes')]


@pytest.mark.parametrize('stream', [True, False])
@pytest.mark.parametrize(
    ('status', 'lasting'), [(400, True), (401, True), (404, True), (429, False), (503, False)]
)
def test_an_error_names_the_server_and_says_what_it_said(monkeypatch, stream, status, lasting):
    monkeypatch.setenv('SOUL_TEST_KEY', 'sk-secret')
    with pytest.raises(ProviderError) as caught:
        ask(lambda body: (status, 'because of something'), stream)
    text = caught.value.detail
    assert '127.0.0.1' in text
    assert 'because' not in str(caught.value), 'who is at the door reads no server messages'
    assert '127.0.0.1' not in str(caught.value)
    assert str(status) in text
    assert 'because of something' in text
    assert 'sk-secret' not in text
    assert caught.value.lasting is lasting
    if status == 401:
        assert '$SOUL_TEST_KEY' in text


def test_an_error_inside_a_stream_or_behind_status_200_is_an_error():
    with pytest.raises(ProviderError) as caught:
        ask(deltas({'error': {'message': 'overloaded'}}))
    assert 'overloaded' in caught.value.detail
    with pytest.raises(ProviderError) as caught:
        ask(lambda body: (200, '{"error": {"message": "overloaded"}}'), stream=False)
    assert 'overloaded' in caught.value.detail


def test_a_stream_that_breaks_off_is_no_answer():
    def play(handler):
        handler.begin_stream()
        handler.event(json.dumps({'choices': [{'delta': {'content': 'half'}}]}))
        handler.end_stream()

    with pytest.raises(ProviderError, match='broke off'):
        ask(lambda body: play)


@pytest.mark.parametrize('text', ['<html>', '{}', '{"choices": []}', '[1]', '{"choices": [{}]}'])
def test_what_is_no_completion_is_said_to_be_none(text):
    with pytest.raises(ProviderError, match='no completion'):
        ask(lambda body: (200, text), stream=False)


def test_something_in_a_stream_that_is_not_json_is_an_error():
    with pytest.raises(ProviderError, match='garbled'):
        ask(deltas('{"choices": [', ''))


def test_nobody_at_the_address_and_silence_are_told_apart():
    async def refused():
        client = OpenAI('http://127.0.0.1:9/v1', 'm')
        try:
            await client.complete(Request([], [], View(), 0), lambda *piece: None)
        finally:
            await client.close()

    with pytest.raises(ProviderError, match='cannot be reached'):
        asyncio.run(refused())

    def silent(handler):
        handler.begin_stream()
        handler.event('{}')
        handler.rfile.read(1)  # until the client has gone

    with pytest.raises(ProviderError, match='did not answer in time'):
        ask(lambda body: silent, seconds=0.3)


def test_cancelling_closes_the_socket():
    gone = []

    def endless(handler):
        handler.begin_stream()
        try:
            while True:
                handler.event(json.dumps({'choices': [{'delta': {'content': 'x'}}]}))
        except OSError:
            gone.append(True)

    server = FakeServer(lambda body: endless)

    async def life():
        client = OpenAI(server.url, 'm')
        heard = asyncio.Event()
        task = asyncio.ensure_future(
            client.complete(Request([], [], View(), 0), lambda *piece: heard.set())
        )
        await heard.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not gone:
            await asyncio.sleep(0.01)
        await client.close()

    asyncio.run(asyncio.wait_for(life(), 10))
    server.close()


@pytest.mark.parametrize(
    'wrong', [-5, 1e30, float('nan'), float('inf'), 'many', True, [], {}, None]
)
def test_a_usage_that_cannot_be_is_not_counted(wrong):
    usage = usage_from({'prompt_tokens': wrong, 'completion_tokens': 7})
    assert (usage.tokens_in, usage.cached, usage.tokens_out) == (0, 0, 7)
    assert usage_from(wrong) == Usage()
    cached = {'prompt_tokens': 5, 'prompt_tokens_details': {'cached_tokens': 9}}
    assert usage_from(cached).cached == 5, 'never more than was read'
