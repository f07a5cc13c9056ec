"""Requests of the four protocols: whatever was lived, and under whom, is taken."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soul.mind.messages import (
    AssistantMessage,
    Origin,
    Reasoning,
    ShownPicture,
    ToolCall,
    ToolResult,
)
from soul.mind.providers.base import Purpose, Request
from soul.mind.providers.history import UNSEEN
from soul.signals import View
from support.asking import ADAPTERS, SYSTEM, TOOLS, adapter, ask, ask_often, entry
from support.histories import HISTORIES, MESSAGES, SEALED
from support.messages import user
from support.model_server import JSON, Sends, answering
from support.protocol_rules import refused
from support.protocols import PROTOCOLS, SIGNATURE, error

each = pytest.mark.parametrize('protocol', PROTOCOLS)


def wanted(*messages, **more):
    return Request([SYSTEM, *messages], more.pop('tools', TOOLS), View(), 0, **more)


def said(protocol, body):
    """The part of a request that holds the conversation."""
    return body[{'chat': 'messages', 'responses': 'input', 'gemini': 'contents'}.get(
        protocol, 'messages'
    )]  # fmt: skip


@each
@given(history=HISTORIES, sees=st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_history_is_taken_by_the_strictest_server(protocol, history, sees):
    body = adapter(protocol, pictures=sees).body(wanted(*history, stable=[1, len(history)]), True)
    if protocol == 'chat' and len(body['messages']) == 1:
        return  # nothing was said at all; nobody asks like that
    assert refused(protocol, body) == []


@each
@given(parts=st.lists(st.lists(MESSAGES, min_size=1, max_size=4), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_a_history_that_grows_is_written_as_if_it_were_new(protocol, parts):
    grows, history = adapter(protocol), []
    for part in parts:
        history = [*history, *part]
        request = wanted(*history)
        assert grows.body(request, True) == adapter(protocol).body(request, True)


@each
@given(histories=st.lists(HISTORIES, min_size=2, max_size=4), cut=st.integers(0, 12))
@settings(max_examples=60, deadline=None)
def test_what_was_asked_before_changes_nothing(protocol, histories, cut):
    """Also a history that was shortened, or of another conversation."""
    used = adapter(protocol)
    for history in histories:
        for messages in (history, history[:cut], [*history[:cut], user('other')]):
            request = Request(messages, TOOLS, View(), 0)
            assert used.body(request, True) == adapter(protocol).body(request, True)
            request = wanted(*messages)
            assert used.body(request, True) == adapter(protocol).body(request, True)


@each
def test_what_was_sent_stays_the_beginning_of_what_is_sent_later(protocol):
    """A provider's cache serves a beginning that is the same to the byte."""
    history, before, writes = [], '', adapter(protocol)
    for number in range(4):
        history += [user(f'view {number}'), AssistantMessage('hm', (ToolCall('', 'look', '{}'),))]
        history += [ToolResult('', 'seen')]
        now = said(protocol, writes.body(wanted(*history), True))
        text = json.dumps(_unmarked(now))
        assert text.startswith(before)
        before = text.rstrip(']}"')[:-40]


def _unmarked(value):
    if isinstance(value, dict):
        return {key: _unmarked(v) for key, v in value.items() if key != 'cache_control'}
    return [_unmarked(v) for v in value] if isinstance(value, list) else value


def _thinker(protocol, model='m'):
    return Reasoning('hm', SEALED[protocol], Origin(protocol, 'p', model))


@each
@pytest.mark.parametrize('other', PROTOCOLS)
@pytest.mark.parametrize('model', ['m', 'another'])
def test_sealed_reasoning_goes_back_to_who_gave_it_and_to_nobody_else(protocol, other, model):
    call = ToolCall('abcdefghi', 'look', '{}')
    answer = AssistantMessage('hm', (call,), (_thinker(other, model),))
    body = adapter(protocol).body(wanted(user(), answer, ToolResult('abcdefghi', 'x')), True)
    assert refused(protocol, body) == []
    own = (other, model) == (protocol, 'm')
    text = json.dumps(said(protocol, body))
    for value in SEALED[other].values():
        if isinstance(value, list) and value:
            assert (json.dumps(value) in text) is own
        elif other != 'responses' and value in (SIGNATURE,):
            assert (SIGNATURE in text) is own
    if other == 'responses':
        assert ('encrypted_content' in text) is own


@each
def test_an_answer_goes_back_as_it_came(protocol):
    """What the server gave is what it gets, its reasoning word for word."""
    from soul.mind.transcript import said as as_message

    came, _ = ask(protocol, lambda body, n: answering(protocol))
    results = [ToolResult(call.id, 'done', name=call.name) for call in came.calls]
    _, requests = ask(
        protocol, lambda body, n: answering(protocol), user(), as_message(came), *results
    )
    body = requests[0][2]
    assert refused(protocol, body) == []
    text = json.dumps(body)
    if protocol == 'chat':
        assert body['messages'][2]['reasoning_content'] == 'shall I?'
    elif protocol == 'anthropic':
        assert body['messages'][1]['content'][0] == {
            'type': 'thinking', 'thinking': 'shall I?', 'signature': SIGNATURE,
        }  # fmt: skip
    elif protocol == 'gemini':
        parts = body['contents'][1]['parts']
        assert [p.get('thoughtSignature') for p in parts] == [None, SIGNATURE, None]
    else:
        assert body['input'][1]['encrypted_content'] == SIGNATURE
        assert body['include'] == ['reasoning.encrypted_content']
        assert body['store'] is False
    assert text.count('done') == 2


@each
@pytest.mark.parametrize('sees', [True, False])
def test_a_picture_in_a_result_and_a_model_that_cannot_see(protocol, sees):
    shown = ToolResult('abcdefghi', 'seen', (ShownPicture('png', 'AAAA'),), 'What look showed:')
    history = [user(), AssistantMessage('', (ToolCall('abcdefghi', 'look', '{}'),)), shown]
    body = adapter(protocol, pictures=sees).body(wanted(*history), True)
    assert refused(protocol, body) == []
    text = json.dumps(said(protocol, body))
    assert ('AAAA' in text) is sees
    assert (UNSEEN in text) is not sees


@each
@pytest.mark.parametrize('temperature', [None, 0.0, 1.7])
def test_a_temperature_is_sent_only_if_there_is_one(protocol, temperature):
    body = adapter(protocol, temperature=temperature).body(wanted(user()), True)
    held = body.get('generationConfig', {}) if protocol == 'gemini' else body
    most = 1.0 if protocol == 'anthropic' else 2.0  # it takes no more
    assert held.get('temperature') == (None if temperature is None else min(most, temperature))


@each
def test_warming_up_asks_for_as_little_as_there_is(protocol):
    body = adapter(protocol).body(wanted(user(), purpose=Purpose.WARM_UP), True)
    least = {
        'chat': ('max_tokens', 1), 'responses': ('max_output_tokens', 16),
        'anthropic': ('max_tokens', 1),
    }  # fmt: skip
    if protocol == 'gemini':
        assert body['generationConfig']['maxOutputTokens'] == 1
    else:
        name, tokens = least[protocol]
        assert body[name] == tokens


# --- marks for a cache --------------------------------------------------------------------


def marked(body):
    """The texts that bear a mark, and how long it lasts."""
    parts = [*body.get('tools', ()), *body.get('system', ())]
    parts += [part for turn in body['messages'] for part in turn['content']]
    return [
        (part.get('text') or part.get('name') or part.get('content'), part['cache_control'])
        for part in parts
        if 'cache_control' in part
    ]


@pytest.mark.parametrize(('seconds', 'kind'), [(0, {}), (300, {}), (3600, {'ttl': '1h'})])
def test_marks_stand_where_later_requests_begin_alike(seconds, kind):
    kind = {'type': 'ephemeral', **kind}
    writes = adapter('anthropic', cache_seconds=seconds)
    history = [user('line 1'), AssistantMessage('one'), user('line 2'), AssistantMessage('two')]
    request = wanted(*history, user('the moment'), stable=[3, 5])
    assert marked(writes.body(request, True)) == [
        ('who she is', kind), ('one', kind), ('two', kind), ('the moment', kind),
    ]  # fmt: skip
    fewer = wanted(user('the moment'), stable=[1])
    assert marked(writes.body(fewer, True)) == [
        ('look', kind), ('who she is', kind), ('the moment', kind),
    ]  # fmt: skip


def test_only_openais_own_servers_are_given_a_cache_key():
    for protocol in ('chat', 'responses'):
        own = ADAPTERS[protocol](entry(protocol, 'https://api.openai.com/v1'), 1)
        keys = [own.body(wanted(user(), conversation=c), True)['prompt_cache_key'] for c in 'aab']
        assert keys[0] == keys[1] != keys[2]
        assert 'prompt_cache_key' not in adapter(protocol).body(wanted(user()), True)


# --- what a server cannot take is learnt once ---------------------------------------------


def refusing(protocol, message, until):
    """A server that refuses with a message until a request is as it wants it."""

    def behave(body, number):
        if until(body):
            return answering(protocol)
        return Sends([error(protocol, 400, message, 'invalid_request_error')], JSON, 400)

    return behave


def test_a_model_without_reasoning_is_not_asked_for_it_again():
    behave = refusing(
        'responses',
        'Encrypted content is not supported with this model.',
        lambda body: 'include' not in body,
    )
    came, requests = ask_often('responses', behave, 2)
    assert [bool(c.text) for c in came] == [True, True]
    assert len(requests) == 3


def test_how_long_an_answer_a_model_can_write_is_learnt():
    said_of_it = 'max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens'
    behave = refusing('anthropic', said_of_it, lambda body: body['max_tokens'] <= 4096)
    came, requests = ask_often('anthropic', behave, 2)
    assert [bool(c.text) for c in came] == [True, True]
    assert [body['max_tokens'] for _, _, body in requests] == [8192, 4096, 4096]


def test_a_server_that_wants_reasoning_back_takes_a_history_of_any_model():
    """`reasoning_content` not sent back after a tool call, or only for a waking: 400 for good."""
    own = Reasoning('that was long ago', origin=Origin('chat', 'p', 'm'), over=True)
    call = ToolCall('abcdefghi', 'look', '{}')
    history = [user(), AssistantMessage('', (call,), (own,)), ToolResult('abcdefghi', 'seen')]
    history += [AssistantMessage('of another model'), user()]
    behave = refusing(
        'chat',
        'The `reasoning_content` in the thinking mode must be passed back to the API.',
        lambda body: all(
            m.get('reasoning_content') for m in body['messages'] if m['role'] == 'assistant'
        ),
    )
    came, requests = ask_often('chat', behave, 2, *history)
    assert [bool(c.text) for c in came] == [True, True]
    assert len(requests) == 3
    first, *later = [
        [m.get('reasoning_content') for m in body['messages'] if m['role'] == 'assistant']
        for _, _, body in requests
    ]
    assert first == [None, None], 'a waking is over: most servers want no more of it'
    assert later == [['that was long ago', ' ']] * 2


@each
def test_a_model_that_takes_no_temperature_is_sent_none_from_then_on(protocol):
    behave = refusing(
        protocol,
        'temperature is not supported with this model',
        lambda body: 'temperature' not in {**body, **body.get('generationConfig', {})},
    )
    came, requests = ask_often(protocol, behave, 2)
    assert [bool(c.text) for c in came] == [True, True]
    assert len(requests) == 3


def test_an_error_that_stays_is_told_after_the_second_time():
    behave = refusing('responses', 'encrypted include nonsense', lambda body: False)
    came, requests = ask('responses', behave)
    assert came.fault == 'model'
    assert len(requests) == 2
