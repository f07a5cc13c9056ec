"""Four protocols over real sockets: one answer, however its bytes come."""

import json

import pytest

from soul.mind.messages import Origin
from soul.mind.providers.base import Completion, Fault, ProviderError
from support.asking import ask, ask_often
from support.model_server import CUT, JSON, STALL, Sends, answering, split
from support.protocols import ANSWER, PROTOCOLS, SIGNATURE, Said, error, error_event, event, stream

each = pytest.mark.parametrize('protocol', PROTOCOLS)
both = pytest.mark.parametrize('streamed', [True, False])


def assert_whole(came, protocol):
    assert isinstance(came, Completion), getattr(came, 'detail', came)
    assert came.text == ANSWER.text
    assert came.reasoning == ANSWER.thought
    assert [(c.name, json.loads(c.arguments)) for c in came.calls] == [
        (name, json.loads(arguments)) for _, name, arguments in ANSWER.calls
    ]
    assert [c.id for c in came.calls] == [call_id for call_id, _, _ in ANSWER.calls]
    usage = came.usage
    assert (usage.tokens_in, usage.cached, usage.tokens_out) == (120, 100, 30)
    assert usage.cache_write == (8 if protocol == 'anthropic' else 0)
    assert came.origin == Origin(protocol, 'p', 'm')


@each
@both
def test_text_thoughts_calls_and_usage_arrive_whole(protocol, streamed):
    pieces = []
    came, requests = ask(
        protocol,
        lambda body, n: answering(protocol, streamed=streamed),
        stream=streamed,
        heard=lambda *piece: pieces.append(piece),
    )
    assert_whole(came, protocol)
    for kind, wanted in (('text', ANSWER.text), ('reasoning', ANSWER.thought)):
        assert ''.join(text for k, text in pieces if k == kind) == wanted
    ((path, headers, _body),) = requests
    assert (
        path
        == {
            'chat': '/chat/completions',
            'responses': '/responses',
            'anthropic': '/messages',
            'gemini': '/models/m:'
            + ('streamGenerateContent?alt=sse' if streamed else 'generateContent'),
        }[protocol]
    )
    name = {'anthropic': 'x-api-key', 'gemini': 'x-goog-api-key'}.get(protocol, 'authorization')
    assert headers[name].removeprefix('Bearer ') == 'sk-secret'


@each
@pytest.mark.parametrize('size', [1, 2, 3, 7, 64, 10**6])
def test_bytes_may_be_cut_anywhere_also_inside_a_character(protocol, size):
    came, _ = ask(protocol, lambda body, n: split(answering(protocol), size))
    assert_whole(came, protocol)


@each
@pytest.mark.parametrize('end', ['\r\n', '\r'])
def test_lines_end_in_any_way(protocol, end):
    def behave(body, number):
        sends = answering(protocol)
        return Sends([piece.replace(b'\n', end.encode()) for piece in sends.pieces])

    came, _ = ask(protocol, behave)
    assert_whole(came, protocol)


@each
@both
def test_what_is_wanted_back_is_sealed_and_bears_its_origin(protocol, streamed):
    came, _ = ask(
        protocol, lambda body, n: answering(protocol, streamed=streamed), stream=streamed
    )
    if protocol == 'chat':
        assert came.thoughts == ()
        return
    (thought,) = came.thoughts
    assert thought.origin == came.origin
    assert SIGNATURE in thought.sealed.values()
    # Gemini signs the part that the thought led to, the others the thought itself
    assert thought.before == (1 if protocol == 'gemini' else 0)


@each
@both
def test_a_call_that_the_limit_of_tokens_cut_off_is_marked(protocol, streamed):
    """Gemini and a whole message of Anthropic have no halves of arguments."""
    half = Said(calls=(('a', 'look', '{}'),), cut=True)
    data = answering(protocol, half, streamed)
    if protocol == 'gemini' or (protocol == 'anthropic' and not streamed):
        pytest.skip('arguments come whole or not at all')
    pieces = [p.replace(b'"{}"', b'"{"') for p in data.pieces]
    came, _ = ask(protocol, lambda body, n: Sends(pieces, data.kind), stream=streamed)
    assert [(c.name, c.cut) for c in came.calls] == [('look', True)]


# --- what goes wrong ----------------------------------------------------------------------


@each
@pytest.mark.parametrize('events', [0, 1, 3])
def test_a_stream_that_breaks_off_is_no_answer(protocol, events):
    def behave(body, number):
        return Sends([*stream(protocol)[:events], CUT])

    came, _ = ask(protocol, behave)
    assert isinstance(came, ProviderError)
    assert came.fault == Fault.AGAIN
    assert came.begun


@each
def test_a_stream_that_ends_without_its_end_is_no_answer(protocol):
    def behave(body, number):
        return Sends(stream(protocol, Said('half a word, and then nothing'))[:3])

    came, _ = ask(protocol, behave)
    assert isinstance(came, ProviderError)
    assert 'broke off' in str(came)
    assert came.fault == Fault.AGAIN


@each
@pytest.mark.parametrize('events', [0, 2])
def test_a_server_that_stalls_is_given_up(protocol, events):
    def behave(body, number):
        return Sends([*stream(protocol)[:events], STALL])

    came, _ = ask(protocol, behave, seconds=0.3)
    assert isinstance(came, ProviderError)
    assert 'in time' in str(came)
    assert came.fault == Fault.AGAIN


GARBAGE = {
    'nothing': b'',
    'a page': b'<html><body>busy</body></html>',
    'noise': bytes(range(256)) * 4,
    'half JSON': b'{"choices": [',
    'a number': b'5',
    'an empty object': b'{}',
    'null': b'null',
    'deep': b'[' * 100_000,
}


KINDS = ('text/html', JSON, 'text/event-stream', '')


@each
@both
def test_garbage_is_no_answer_and_nobody_elses_fault(protocol, streamed):
    bodies = [(kind, name) for kind in KINDS for name in GARBAGE]

    def behave(body, number):
        kind, name = bodies[number]
        return Sends([p for p in [GARBAGE[name]] if p], kind)

    came, _ = ask_often(protocol, behave, len(bodies), stream=streamed)
    for body, error_ in zip(bodies, came, strict=True):
        assert isinstance(error_, ProviderError), body
        assert error_.fault == Fault.AGAIN, body
        assert not error_.lasting, body


@each
@pytest.mark.parametrize('kind', ['text/plain', 'application/octet-stream', ''])
def test_a_stream_with_a_wrong_content_type_is_read(protocol, kind):
    came, _ = ask(protocol, lambda body, n: Sends(stream(protocol), kind))
    assert_whole(came, protocol)


@each
def test_a_server_that_does_not_stream_is_read_all_the_same(protocol):
    came, _ = ask(protocol, lambda body, n: answering(protocol, streamed=False))
    assert_whole(came, protocol)


@each
def test_a_server_that_streams_unasked_is_read_all_the_same(protocol):
    came, _ = ask(protocol, lambda body, n: answering(protocol), stream=False)
    assert_whole(came, protocol)


STATUSES = {
    400: Fault.MODEL,
    401: Fault.KEY,
    402: Fault.KEY,
    403: Fault.KEY,
    404: Fault.MODEL,
    408: Fault.AGAIN,
    409: Fault.AGAIN,
    413: Fault.TOO_LONG,
    418: Fault.MODEL,
    422: Fault.MODEL,
    425: Fault.AGAIN,
    429: Fault.AGAIN,
    500: Fault.AGAIN,
    502: Fault.AGAIN,
    503: Fault.AGAIN,
    529: Fault.AGAIN,
}


@each
@both
def test_each_status_is_somebodys_fault(protocol, streamed):
    answers = [(status, page) for status in STATUSES for page in (True, False)]

    def behave(body, number):
        status, page = answers[number]
        data = b'<html>no</html>' if page else error(protocol, status, 'because of something')
        return Sends([data], JSON, status)

    found, _ = ask_often(protocol, behave, len(answers), stream=streamed)
    for (status, page), came in zip(answers, found, strict=True):
        assert isinstance(came, ProviderError)
        assert (came.status, came.fault) == (status, STATUSES[status])
        assert came.too_long is (status == 413)
        assert str(status) in came.detail
        assert 'sk-secret' not in came.detail + str(came)
        assert page or 'because of something' in came.detail


@each
@pytest.mark.parametrize(
    ('headers', 'after'),
    [
        ({'Retry-After': '40'}, 40.0),
        ({'Retry-After': '1.5'}, 1.5),
        ({'retry-after-ms': '250'}, 0.25),
        (
            {
                'Date': 'Tue, 01 Dec 2026 10:00:00 GMT',
                'Retry-After': 'Tue, 01 Dec 2026 10:01:30 GMT',
            },
            90.0,
        ),
        ({'Retry-After': '1000000'}, 3600.0),
        ({'Retry-After': '-5'}, 0.0),
        ({'Retry-After': 'nan'}, 0.0),
        ({'Retry-After': 'soon'}, 0.0),
        ({'Retry-After': 'Tue, 99 Dec 2026 10:01:30 GMT'}, 0.0),
        ({}, 0.0),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(protocol, headers, after):
    data = error(protocol, 429, 'slow down')
    came, _ = ask(protocol, lambda body, n: Sends([data], JSON, 429, headers))
    assert came.after == pytest.approx(after)


def test_gemini_says_in_the_body_how_long():
    details = [{'@type': 'type.googleapis.com/google.rpc.RetryInfo', 'retryDelay': '37.5s'}]
    inner = {'code': 429, 'message': 'quota', 'status': 'RESOURCE_EXHAUSTED', 'details': details}
    data = json.dumps([{'error': inner}]).encode()
    came, _ = ask('gemini', lambda body, n: Sends([data], JSON, 429))
    assert (came.after, came.fault) == (37.5, Fault.AGAIN)


@pytest.mark.parametrize(
    ('protocol', 'status', 'body', 'fault'),
    [
        ('chat', 429, {'error': {'message': 'no money', 'code': 'insufficient_quota'}}, 'key'),
        ('chat', 400, {'error': {'message': 'x', 'code': 'context_length_exceeded'}}, 'model'),
        ('chat', 400, {'error': {'message': "this model's maximum context length"}}, 'too_long'),
        ('chat', 200, {'error': {'message': 'rate limited', 'code': 429}}, 'again'),
        ('chat', 200, {'error': {'message': 'no credits', 'code': 402}}, 'key'),
        ('chat', 200, {'error': {'message': 'no such model', 'code': 404}}, 'model'),
        (
            'gemini',
            400,
            {
                'error': {
                    'code': 400,
                    'message': 'API key not valid.',
                    'status': 'INVALID_ARGUMENT',
                    'details': [{'reason': 'API_KEY_INVALID'}],
                }
            },
            'key',
        ),
        (
            'gemini',
            400,
            {'error': {'code': 400, 'message': 'The input token count (9) exceeds the maximum'}},
            'too_long',
        ),
        (
            'anthropic',
            400,
            {'error': {'type': 'invalid_request_error', 'message': 'prompt is too long: 9 > 8'}},
            'too_long',
        ),
        (
            'responses',
            429,
            {'error': {'message': 'Request too large for m on tokens per min'}},
            'too_long',
        ),
    ],
)
def test_what_an_error_means_counts_more_than_its_status(protocol, status, body, fault):
    data = json.dumps(body).encode()
    came, _ = ask(protocol, lambda request, n: Sends([data], JSON, status))
    assert came.fault == ('too_long' if 'exceeded' in str(body) else fault)
    assert came.too_long is (came.fault == 'too_long')


@each
@pytest.mark.parametrize(
    ('kind', 'fault'),
    [
        ('overloaded_error', Fault.AGAIN),
        ('rate_limit_error', Fault.AGAIN),
        ('authentication_error', Fault.KEY),
        ('billing_error', Fault.KEY),
        ('not_found_error', Fault.MODEL),
        ('invalid_request_error', Fault.MODEL),
    ],
)
@pytest.mark.parametrize('events', [0, 3])
def test_an_error_in_mid_stream_is_somebodys_fault(protocol, kind, fault, events):
    def behave(body, number):
        return Sends([*stream(protocol)[:events], error_event(protocol, 'no more', kind)])

    came, _ = ask(protocol, behave)
    assert isinstance(came, ProviderError)
    assert 'no more' in came.detail
    assert came.begun
    if protocol == 'gemini' and kind != 'billing_error':
        fault = Fault.AGAIN  # it has a number of its own
    assert came.fault == fault


@each
def test_a_storm_of_429_costs_one_request_each(protocol):
    """What is tried again, and with which key, is for whoever asks."""
    data = error(protocol, 429, 'slow down')
    came, requests = ask(protocol, lambda body, n: Sends([data], JSON, 429))
    assert came.fault == Fault.AGAIN
    assert len(requests) == 1


@pytest.mark.parametrize(
    ('line', 'word', 'fault'),
    [
        (b'error: {"code": 500, "message": "the slot is gone"}\n\n', 'slot is gone', 'again'),
        (b'error: out of memory\n\n', 'out of memory', 'again'),
        (b'event: error\ndata: {"error": {"message": "no model loaded"}}\n\n', 'loaded', 'again'),
        (b'data: {"error": "model runner has stopped"}\n\n', 'runner', 'again'),
        (
            b'data: {"error": {"code": 402, "message": "add credits"}, "choices": [{"delta": {}, '
            b'"finish_reason": "error"}]}\n\n',
            'credits',
            'key',
        ),
        (
            b'data: {"choices": [{"error": {"code": 429, "message": "busy"}, "delta": {}}]}\n\n',
            'busy',
            'again',
        ),
    ],
)
def test_how_servers_of_chat_completions_say_that_something_broke(line, word, fault):
    """llama.cpp, LM Studio, Ollama and OpenRouter, each in its own way."""
    came, _ = ask('chat', lambda body, n: Sends([stream('chat')[0], line]))
    assert isinstance(came, ProviderError)
    assert word in came.detail
    assert came.fault == fault


def test_parallel_calls_of_which_all_are_block_0_are_several():
    """Servers that speak Anthropic's protocol beside their own number as they number there."""

    def start(name):
        block = {'type': 'tool_use', 'id': '', 'name': name, 'input': {}}
        return {'type': 'content_block_start', 'index': 0, 'content_block': block}

    def piece(text):
        delta = {'type': 'input_json_delta', 'partial_json': text}
        return {'type': 'content_block_delta', 'index': 0, 'delta': delta}

    events = [start('look'), piece('{"a"'), piece(': 1}'), start('diary'), piece('{"b": 2}')]
    events.append({'type': 'message_stop'})
    came, _ = ask('anthropic', lambda body, n: Sends([event(e) for e in events]))
    assert [(c.name, c.arguments) for c in came.calls] == [
        ('look', '{"a": 1}'),
        ('diary', '{"b": 2}'),
    ]
    assert len({c.id for c in came.calls}) == 2


def test_pieces_of_responses_go_to_their_own_item_by_its_id():
    def added(item_id, name):
        item = {'type': 'function_call', 'id': item_id, 'call_id': f'c-{item_id}', 'name': name}
        return {'type': 'response.output_item.added', 'output_index': 0, 'item': item}

    def piece(item_id, text):
        kind = 'response.function_call_arguments.delta'
        return {'type': kind, 'output_index': 0, 'item_id': item_id, 'delta': text}

    events = [
        added('a', 'look'), added('b', 'diary'), piece('a', '{"a"'), piece('b', '{"b"'),
        piece('b', ': 2}'), piece('a', ': 1}'),
        {'type': 'response.completed', 'response': {'status': 'completed', 'output': []}},
    ]  # fmt: skip
    came, _ = ask('responses', lambda body, n: Sends([event(e) for e in events]))
    assert [(c.id, c.arguments) for c in came.calls] == [('c-a', '{"a": 1}'), ('c-b', '{"b": 2}')]


@pytest.mark.parametrize('protocol', ['responses', 'anthropic', 'gemini'])
def test_a_model_that_will_not_answer_is_its_own_fault(protocol):
    """Another key would get the same; another model may not."""
    refusal = {
        'responses': {'output': [], 'status': 'incomplete', 'object': 'response',
                      'incomplete_details': {'reason': 'content_filter'}},
        'anthropic': {'role': 'assistant', 'content': [], 'stop_reason': 'refusal'},
        'gemini': {'promptFeedback': {'blockReason': 'SAFETY'}},
    }[protocol]  # fmt: skip
    data = json.dumps(refusal).encode()
    came, _ = ask(protocol, lambda body, n: Sends([data], JSON))
    assert isinstance(came, ProviderError)
    assert came.fault == Fault.MODEL
