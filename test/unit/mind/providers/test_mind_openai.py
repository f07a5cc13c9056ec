"""The OpenAI-compatible backend against a real server on a socket, well-behaved and not."""

import asyncio
import json
import threading
import tracemalloc

import pytest

from soul.mind.providers.base import ProviderError, Request, Usage
from soul.mind.providers.chat.answer import usage_from
from soul.mind.providers.openai import OpenAI
from soul.signals import View
from support.messages import user
from support.provider import FakeServer, call


def ask(behave, stream=True, seconds=5.0, heard=None, **more):
    """Ask a server once and return its answer and the server."""
    server = FakeServer(behave)

    async def once():
        client = OpenAI(server.url, 'm', 'SOUL_TEST_KEY', stream, seconds=seconds, **more)
        request = Request([user()], [], View(), 0)
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


# --- found on the running product ---------------------------------------------------------


def plain(*fragments):
    """An answer that came as a whole."""
    message = {'role': 'assistant', 'content': '', 'tool_calls': list(fragments)}
    return lambda body: (200, json.dumps({'choices': [{'message': message}]}))


@pytest.mark.parametrize('ids', [('a', 'b'), ('', ''), (None, None)])
@pytest.mark.parametrize('streamed', [True, False])
def test_parallel_calls_that_are_all_number_0_are_several(streamed, ids):
    """found 4: calls with index 0 each were merged into a tool `replydiary`."""
    fragments = [
        fragment(0, 'reply', '{"text": "x"}', id=ids[0]),
        fragment(0, 'diary', '{"text": "y"}', id=ids[1]),
    ]
    behave = deltas(*(chunk(f) for f in fragments)) if streamed else plain(*fragments)
    completion, _ = ask(behave, streamed)
    assert [(c.name, c.arguments) for c in completion.calls] == [
        ('reply', '{"text": "x"}'),
        ('diary', '{"text": "y"}'),
    ]
    assert len({c.id for c in completion.calls}) == 2


def test_the_same_tool_twice_under_one_number_is_two_calls():
    """found 4: a new id begins a new call, also of the same tool and before any arguments."""
    completion, _ = ask(
        deltas(
            chunk(fragment(0, 'look', '', id='a')),
            chunk(fragment(0, '', '{}', id='a')),
            chunk(fragment(0, 'look', '', id='b')),
            chunk(fragment(0, '', '{}')),
        )
    )
    assert [(c.id, c.name, c.arguments) for c in completion.calls] == [
        ('a', 'look', '{}'),
        ('b', 'look', '{}'),
    ]


@pytest.mark.parametrize('call_id', ['a', '', None])
def test_a_name_that_is_repeated_with_each_fragment_is_one_name(call_id):
    """found 4: a name in each fragment became `replyreplyreply`."""
    pieces = ['', '{"te', 'xt": ', '"x"}']
    completion, _ = ask(
        deltas(*(chunk(fragment(0, 'reply', piece, id=call_id)) for piece in pieces))
    )
    assert [(c.name, c.arguments) for c in completion.calls] == [('reply', '{"text": "x"}')]


@pytest.mark.parametrize('stream', [True, False])
def test_half_a_character_never_gets_in(stream):
    """found 5: half an emoji raised UnicodeEncodeError in every later turn."""
    raw = '{"role": "assistant", "content": "hi \\ud83d", "tool_calls": [{"index": 0, "id": "a", '
    raw += '"function": {"name": "reply", "arguments": "{\\"text\\": \\"\\ud83d\\"}"}}]}'
    if stream:
        behave = deltas('{"choices": [{"delta": %s}]}' % raw)  # noqa: UP031
    else:
        behave = lambda body: (200, '{"choices": [{"message": %s}]}' % raw)  # noqa: E731, UP031
    completion, _ = ask(behave, stream)
    for text in (completion.text, completion.calls[0].arguments):
        assert text.encode()
        assert '\ufffd' in text


def test_two_halves_of_a_character_in_two_pieces_are_one_character():
    """found 5: what only came apart on its way is put together again."""
    completion, _ = ask(
        deltas(
            '{"choices": [{"delta": {"content": "\\ud83d"}}]}',
            '{"choices": [{"delta": {"content": "\\ude00"}}]}',
        )
    )
    assert completion.text == '😀'


@pytest.mark.parametrize('stream', [True, False])
def test_content_as_a_list_of_parts_is_read(stream):
    """found 7: the words of content that came as parts were dropped."""
    content = [
        {'type': 'thinking', 'thinking': [{'type': 'text', 'text': 'shall I?'}]},
        {'type': 'text', 'text': 'Yes, '},
        {'type': 'text', 'text': 'I will.'},
    ]
    if stream:
        behave = deltas({'choices': [{'delta': {'content': content}}]})
    else:
        whole = {'choices': [{'message': {'content': content}}]}
        behave = lambda body: (200, json.dumps(whole))  # noqa: E731
    completion, _ = ask(behave, stream)
    assert (completion.text, completion.reasoning) == ('Yes, I will.', 'shall I?')


@pytest.mark.parametrize(
    'said',
    [
        'the request exceeds the available context size. n_ctx = 4096',
        'Trying to keep the first 5000 tokens when context the overflows. (n_keep)',
    ],
)
def test_a_context_that_overflows_inside_a_stream_is_too_long(said):
    """found 8: it came with status 200 in the stream and was not recognised: stuck for good."""
    with pytest.raises(ProviderError) as caught:
        ask(deltas({'error': {'message': said}}))
    assert caught.value.too_long


@pytest.mark.parametrize('odd', ['\u2028', '\u2029', '\u0085'])
def test_only_cr_and_lf_end_a_line_of_a_stream(odd):
    """found 9: a raw U+2028 or U+0085 in a text made the answer "garbled"."""
    text = f'a{odd}b'
    data = json.dumps({'choices': [{'delta': {'content': text}}]}, ensure_ascii=False)
    completion, _ = ask(deltas(data))
    assert completion.text == text


@pytest.mark.parametrize('end', ['\n', '\r\n', '\r'])
@pytest.mark.parametrize('size', [1, 2, 3, 7, 1000])
def test_a_stream_may_be_cut_anywhere_and_end_its_lines_in_any_way(end, size):
    """found 9: lines end with CR, LF or both, wherever the bytes are cut."""
    from soul.mind.providers.lines import StreamLines

    wanted = ['data: {"a": "\u2028ä😀"}', '', 'data: [DONE]', '', 'rest']
    data = end.join(wanted).encode()
    lines, found = StreamLines(), []
    for start in range(0, len(data), size):
        found += lines.feed(data[start : start + size])
    found += lines.feed(b'', final=True)
    assert found == wanted


def test_a_proxy_of_the_environment_never_sees_what_is_meant_for_this_machine(monkeypatch):
    """found 10: http_proxy sent the prompt for 127.0.0.1 to the proxy."""
    proxy = FakeServer(lambda body: {'content': 'I am the proxy'})
    address = proxy.url.removesuffix('/v1')
    for name in ('http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'):
        monkeypatch.setenv(name, address)
    monkeypatch.delenv('no_proxy', raising=False)
    monkeypatch.delenv('NO_PROXY', raising=False)
    completion, server = ask(lambda body: ANSWER)
    proxy.close()
    assert completion.text == ANSWER['content']
    assert len(server.requests) == 1
    assert not proxy.requests


def test_a_socks_proxy_is_explained_where_it_would_be_used(monkeypatch):
    """found 10: ALL_PROXY=socks5://... ended the start with a traceback."""
    from soul.core.organ import StartRefused

    monkeypatch.setenv('ALL_PROXY', 'socks5://127.0.0.1:1')
    ask(lambda body: ANSWER)  # this machine needs no proxy
    monkeypatch.setattr('importlib.util.find_spec', lambda name: None)
    with pytest.raises(StartRefused, match=r'ALL_PROXY names a SOCKS proxy.*httpx\[socks\]'):
        OpenAI('https://api.example.com/v1', 'm')


@pytest.mark.parametrize(
    ('url', 'local'),
    [
        ('http://127.0.0.1:11434/v1', True),
        ('http://localhost/v1', True),
        ('http://[::1]:8080', True),
        ('http://192.168.1.5:1234/v1', True),
        ('http://10.0.0.2', True),
        ('http://ollama:11434', True),
        ('http://box.local:1', True),
        ('https://api.example.com/v1', False),
        ('https://8.8.8.8/v1', False),
    ],
)
def test_which_addresses_are_local(url, local):
    """found 10: loopback and private addresses never go through a proxy."""
    from soul.proxies import is_local

    assert is_local(url) is local


@pytest.mark.parametrize(
    ('text', 'said', 'thought'),
    [
        ('I should greet. </think> Hello!', 'Hello!', 'I should greet.'),
        ('<think>hm</think>Hello!', 'Hello!', 'hm'),
        ('Hello! <think>was that right', 'Hello!', 'was that right'),
        ('[THINK]hm[/THINK]Hello!', 'Hello!', 'hm'),
        ('a <b> is no thought', 'a <b> is no thought', ''),
    ],
)
def test_thinking_inside_the_text_is_no_word_of_hers(text, said, thought):
    """found 11: thinking whose opening tag is missing was said to the person word for word."""
    completion, _ = ask(lambda body: {'content': text})
    assert (completion.text, completion.reasoning) == (said, thought)


def test_the_first_byte_has_a_limit_of_its_own():
    """found 12: a model that loads longer than call_seconds was given up each time."""
    let_go = threading.Event()

    def loading(handler):
        let_go.wait(10)
        handler.stream(ANSWER)

    async def life():
        server = FakeServer(lambda body: loading)
        client = OpenAI(server.url, 'm', seconds=0.2, first_seconds=20.0)
        asking = asyncio.ensure_future(
            client.complete(Request([], [], View(), 0), lambda *piece: None)
        )
        done, _ = await asyncio.wait({asking}, timeout=0.6)
        assert not done, 'three times the silence allowed in mid-answer, and still patient'
        let_go.set()
        completion = await asking
        await client.close()
        server.close()
        return completion

    assert asyncio.run(asyncio.wait_for(life(), 20)).text == ANSWER['content']


@pytest.mark.parametrize(
    ('answer', 'hint'),
    [
        ((404, 'page not found'), 'is `base_url` complete'),
        ((404, '{"error": {"message": "model \'m\' not found"}}'), 'does the server know'),
        ((400, '{"error": "unsupported value: \'temperature\'"}'), 'set `temperature`'),
    ],
)
def test_an_error_says_what_to_do(answer, hint):
    """found 13: the reason of a 404 or 400 stood only on /diagnostics, without what to do."""
    with pytest.raises(ProviderError) as caught:
        ask(lambda body: answer)
    assert hint in caught.value.detail


def endless_end(*chunks):
    """A stream that ends without a word of the server."""

    def play(handler):
        handler.begin_stream()
        for one in chunks:
            handler.event(json.dumps(one))
        handler.end_stream()

    return lambda body: play


def test_a_stream_without_an_end_counts_if_its_calls_are_whole():
    """found 14: whole calls without finish_reason and [DONE] counted as broken off."""
    completion, _ = ask(endless_end(chunk(fragment(0, 'reply', '{"text": "x"}', id='a'))))
    assert [c.name for c in completion.calls] == ['reply']
    with pytest.raises(ProviderError, match='broke off'):
        ask(endless_end(chunk(fragment(0, 'reply', '{"text": "x', id='a'))))
    with pytest.raises(ProviderError, match='broke off'):
        ask(
            endless_end(
                chunk(fragment(0, 'reply', '{"text": "x"}', id='a')),
                chunk(fragment(1, 'sleep', '{"min', id='b')),
            )
        )


@pytest.mark.parametrize('arguments', ['', '{"min'])
@pytest.mark.parametrize('stream', [True, False])
def test_a_call_that_the_limit_of_tokens_cut_off_is_marked(stream, arguments):
    """found 55: a call cut off before its arguments ran with {}."""
    whole, cut = fragment(0, 'diary', '{"text": "x"}', id='a'), fragment(1, 'sleep', arguments)
    if stream:
        behave = deltas(chunk(whole), chunk(cut), {'choices': [{'finish_reason': 'length'}]})
    else:
        message = {'role': 'assistant', 'content': None, 'tool_calls': [whole, cut]}
        answer = {'choices': [{'message': message, 'finish_reason': 'length'}]}
        behave = lambda body: (200, json.dumps(answer))  # noqa: E731
    completion, _ = ask(behave, stream)
    assert [(c.name, c.cut) for c in completion.calls] == [('diary', False), ('sleep', True)]


@pytest.mark.parametrize('value', [0, False, 1.5, [1], 'x'])
def test_arguments_that_are_no_object_reach_the_check_as_they_are(value):
    """found 55: `0` and `false` became {}: a tool must not run on them."""
    from soul.mind.tools.base import parse

    completion, _ = ask(plain(fragment(0, 'sleep', value, id='a')), stream=False)
    with pytest.raises(ValueError, match='argument'):
        parse(completion.calls[0].arguments)


def packed(*encodings, size=50_000_000):
    """An answer of a few bytes that unpacks to many."""
    import gzip

    data = b'\0' * size
    for _ in encodings:
        data = gzip.compress(data)

    def play(handler):
        handler.send_response(200)
        handler.send_header('Content-Type', 'text/event-stream')
        handler.send_header('Content-Encoding', ', '.join(encodings))
        handler.send_header('Content-Length', str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return lambda body: play


@pytest.mark.parametrize('stream', [True, False])
@pytest.mark.parametrize('encodings', [('gzip',), ('gzip', 'gzip'), ('br',)])
def test_an_answer_that_unpacks_to_gigabytes_takes_no_memory(encodings, stream):
    """found 58: answers were unpacked whole before their limit was looked at."""
    tracemalloc.start()
    try:
        with pytest.raises(ProviderError, match='no answer'):
            ask(packed(*encodings), stream)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # the server of this test makes 50 MB itself; unpacking would hold as much again and more
    assert peak < 150_000_000
