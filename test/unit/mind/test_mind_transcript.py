"""Transcripts: whatever happened to one, a strict provider takes it afterwards."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.mind.transcript import UNKNOWN, mend, missing, problems, result, valid_arguments

IDS = st.sampled_from(['', 'a', 'b', 'call-1', None])
NAMES = st.sampled_from(['sleep', 'speak', '', None])
ARGUMENTS = st.one_of(
    st.just('{}'),
    st.just('{"text": "x"'),
    st.just('[1]'),
    st.just(''),
    st.none(),
    st.text(max_size=8),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
CALLS = st.one_of(
    st.fixed_dictionaries(
        {'id': IDS, 'function': st.fixed_dictionaries({'name': NAMES, 'arguments': ARGUMENTS})}
    ),
    st.just({}),
    st.just({'id': 'a', 'function': None}),
    st.just('nonsense'),
)
CONTENT = st.one_of(st.none(), st.just(''), st.text(min_size=1, max_size=10))
MESSAGES = st.one_of(
    st.fixed_dictionaries({'role': st.just('user'), 'content': CONTENT}),
    st.fixed_dictionaries(
        {'role': st.just('assistant'), 'content': CONTENT},
        optional={'tool_calls': st.lists(CALLS, max_size=3)},
    ),
    st.fixed_dictionaries({'role': st.just('tool'), 'tool_call_id': IDS, 'content': CONTENT}),
    st.just({'role': 'developer', 'content': 'x'}),
    st.just({'content': 'x'}),
    st.just(7),
)


@given(st.lists(MESSAGES, max_size=12))
def test_whatever_it_was_it_keeps_the_rules_afterwards(messages):
    mended = mend(messages)
    assert problems(mended) == []
    assert mend(mended) == mended, 'mending once is enough'


def assistant(*calls, **more):
    tool_calls = [
        {'id': i, 'type': 'function', 'function': {'name': 'look', 'arguments': '{}'}}
        for i in calls
    ]
    return {'role': 'assistant', 'content': '', 'tool_calls': tool_calls, **more}


def user(text='hi'):
    return {'role': 'user', 'content': text}


VALID = st.lists(
    st.integers(0, 3).map(
        lambda n: (
            [user(), assistant(*'abc'[:n]), *(result(i, 'seen') for i in 'abc'[:n])]
            if n
            else [user(), {'role': 'assistant', 'content': 'hm'}]
        )
    ),
    max_size=5,
)


@given(VALID)
def test_what_keeps_the_rules_is_not_touched(wakings):
    messages = []
    for number, waking in enumerate(wakings):
        for message in copy.deepcopy(waking):
            for call in message.get('tool_calls', ()):
                call['id'] += str(number)
            if 'tool_call_id' in message:
                message['tool_call_id'] += str(number)
            messages.append(message)
    assert problems(messages) == []
    assert mend(messages) == messages


@given(st.data())
def test_a_kill_anywhere_leaves_something_that_can_be_mended_without_losing_what_was_said(data):
    whole = [user('one'), assistant('a', 'b'), result('a', '1'), result('b', '2'), user('two')]
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    mended = mend(cut)
    assert problems(mended) == []
    assert [m for m in mended if m['role'] == 'user'] == [m for m in cut if m['role'] == 'user']
    results = {m['tool_call_id']: m['content'] for m in mended if m['role'] == 'tool'}
    for message in cut:
        if message['role'] == 'tool':
            assert results[message['tool_call_id']] == message['content']


def test_a_call_without_a_result_gets_one_that_says_so():
    messages = [user(), assistant('a', 'b'), result('b', 'there')]
    assert [m['content'] for m in mend(messages)[2:]] == [UNKNOWN, 'there']
    assert missing(messages) == [result('a', UNKNOWN)]
    assert missing([*messages, result('a', 'x')]) == []


def test_results_without_a_call_and_empty_messages_go():
    messages = [result('x', 'of nothing'), user(''), {'role': 'assistant', 'content': ''}, user()]
    assert mend(messages) == [user()]


def test_ids_that_are_empty_or_used_before_become_their_own():
    twice = [user(), assistant('a'), result('a', '1'), assistant('a'), result('a', '2')]
    mended = mend(twice)
    ids = [c['id'] for m in mended for c in m.get('tool_calls', ())]
    assert len(set(ids)) == 2
    assert [m['tool_call_id'] for m in mended if m['role'] == 'tool'] == ids
    assert [m['content'] for m in mended if m['role'] == 'tool'] == ['1', '2']
    unnamed = mend([user(), assistant('')])
    assert unnamed[1]['tool_calls'][0]['id'] == unnamed[2]['tool_call_id'] != ''


def test_signed_reasoning_is_the_same_object_afterwards():
    signed = [{'type': 'thinking', 'thinking': 'hm', 'signature': 'abc='}]
    messages = [user(), assistant('a', thinking_blocks=signed), result('a', 'x')]
    mended = mend(messages)
    assert mended[1]['thinking_blocks'] is signed
    assert json.dumps(mended) == json.dumps(messages)


@pytest.mark.parametrize(
    ('wrong', 'word'),
    [
        ([user(), assistant('a')], 'no result'),
        ([result('a', 'x')], 'no open call'),
        ([user('')], 'empty'),
        ([{'role': 'system', 'content': 'x'}], 'role'),
        ([user(), assistant('a', 'a'), result('a', '1'), result('a', '2')], 'again'),
        ([user(), assistant(''), result('', '1')], 'without id'),
    ],
)
def test_the_validator_sees_what_a_strict_provider_refuses(wrong, word):
    assert any(word in problem for problem in problems(wrong))


@pytest.mark.parametrize('arguments', ['{"a": 1', '[1]', 'text', '', None, {'a': 1}])
def test_arguments_are_always_an_object(arguments):
    assert isinstance(json.loads(valid_arguments(arguments)), dict)
    assert valid_arguments('{"a": 1}') == '{"a": 1}'
