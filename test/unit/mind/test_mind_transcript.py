"""Transcripts: whatever happened to one, a strict provider takes it afterwards."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.mind.messages import (
    AssistantMessage,
    Reasoning,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from soul.mind.transcript import UNKNOWN, mend, missing, problems, result, valid_arguments
from support.messages import assistant, user

IDS = st.sampled_from(['', 'a', 'b', 'call-1'])
ARGUMENTS = st.one_of(
    st.sampled_from(['{}', '{"text": "x"', '[1]', '', '{"a": NaN}', '{"a": 1e999}']),
    st.text(max_size=8),
)
CALLS = st.builds(ToolCall, IDS, st.sampled_from(['sleep', 'speak', '']), ARGUMENTS)
CONTENT = st.one_of(st.just(''), st.text(min_size=1, max_size=10))
MESSAGES = st.one_of(
    st.builds(UserMessage, CONTENT),
    st.builds(AssistantMessage, CONTENT, st.lists(CALLS, max_size=3).map(tuple)),
    st.builds(ToolResult, IDS, CONTENT),
    st.builds(SystemMessage, CONTENT),
)


@given(st.lists(MESSAGES, max_size=12))
def test_whatever_it_was_it_keeps_the_rules_afterwards(messages):
    mended = mend(messages)
    assert problems(mended) == []
    assert mend(mended) == mended, 'mending once is enough'


VALID = st.lists(
    st.integers(0, 3).map(
        lambda n: (
            [user(), assistant(*'abc'[:n]), *(result(i, 'seen') for i in 'abc'[:n])]
            if n
            else [user(), assistant(text='hm')]
        )
    ),
    max_size=5,
)


@given(VALID)
def test_what_keeps_the_rules_is_not_touched(wakings):
    messages = []
    for number, waking in enumerate(wakings):
        for message in waking:
            if isinstance(message, AssistantMessage):
                calls = tuple(replace(c, id=f'{c.id}{number}') for c in message.calls)
                message = replace(message, calls=calls)
            elif isinstance(message, ToolResult):
                message = replace(message, call_id=f'{message.call_id}{number}')
            messages.append(message)
    assert problems(messages) == []
    assert mend(messages) == messages


@given(st.data())
def test_a_kill_anywhere_leaves_something_that_can_be_mended_without_losing_what_was_said(data):
    whole = [user('one'), assistant('a', 'b'), result('a', '1'), result('b', '2'), user('two')]
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    mended = mend(cut)
    assert problems(mended) == []
    assert [m for m in mended if m.role == 'user'] == [m for m in cut if m.role == 'user']
    results = {m.call_id: m.text for m in mended if m.role == 'tool'}
    for message in cut:
        if message.role == 'tool':
            assert results[message.call_id] == message.text


def test_a_call_without_a_result_gets_one_that_says_so():
    messages = [user(), assistant('a', 'b'), result('b', 'there')]
    assert [m.text for m in mend(messages)[2:]] == [UNKNOWN, 'there']
    assert missing(messages) == [result('a', UNKNOWN)]
    assert missing([*messages, result('a', 'x')]) == []


def test_results_without_a_call_and_empty_messages_go():
    messages = [result('x', 'of nothing'), user(''), assistant(), user()]
    assert mend(messages) == [user()]


def test_ids_that_are_empty_or_used_before_become_their_own():
    twice = [user(), assistant('a'), result('a', '1'), assistant('a'), result('a', '2')]
    mended = mend(twice)
    ids = [c.id for m in mended if m.role == 'assistant' for c in m.calls]
    assert len(set(ids)) == 2
    assert [m.call_id for m in mended if m.role == 'tool'] == ids
    assert [m.text for m in mended if m.role == 'tool'] == ['1', '2']
    unnamed = mend([user(), assistant('')])
    assert unnamed[1].calls[0].id == unnamed[2].call_id != ''


def test_an_answer_that_needs_no_mending_is_the_same_object_afterwards():
    signed = Reasoning(sealed={'type': 'thinking', 'thinking': 'hm', 'signature': 'abc='})
    messages = [user(), assistant('a', thoughts=[signed]), result('a', 'x')]
    mended = mend(messages)
    assert mended[1] is messages[1]
    assert mend([user(), replace(messages[1], calls=()), user()]) == [user(), user()]


@pytest.mark.parametrize(
    ('wrong', 'word'),
    [
        ([user(), assistant('a')], 'no result'),
        ([result('a', 'x')], 'no open call'),
        ([user('')], 'empty'),
        ([SystemMessage('x')], 'system message'),
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
