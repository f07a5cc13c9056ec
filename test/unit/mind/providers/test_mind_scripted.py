"""The offline backends: an echo that says so, and scripts that are checked."""

import asyncio
import json

import pytest

from soul.mind.providers.base import Request
from soul.mind.providers.echo import Echo
from soul.mind.providers.scripted import Scripted, ScriptError
from soul.signals import Message, View


def ask(provider, view, step):
    request = Request([], [], view, step)
    return asyncio.run(provider.complete(request, lambda kind, text: None))


def seeing(*texts):
    return View(
        messages=tuple(Message(id=f'm{n}', sender='ann', text=t) for n, t in enumerate(texts))
    )


def wanted(completion):
    return [(c.name, json.loads(c.arguments)) for c in completion.calls]


def test_the_echo_says_plainly_what_it_is_and_answers_each_message_once():
    echo = Echo()
    first = wanted(ask(echo, seeing('hello', 'you?'), 0))
    assert [name for name, _ in first] == ['reply', 'reply', 'speak']
    assert first[2][1]['text'].endswith('You said: hello You said: you?'), 'all of it, in order'
    for _, arguments in first:
        assert 'only an echo' in arguments['text']
    assert first[0][1]['message'] == 'm0'
    assert 'hello' in first[0][1]['text']
    assert wanted(ask(echo, seeing('hello', 'you?'), 1)) == [('sleep', {})]
    late = wanted(ask(echo, seeing('hello', 'you?', 'late'), 1))
    assert late[0][1]['message'] == 'm2'
    assert wanted(ask(Echo(), View(), 0)) == [('sleep', {})]


def test_of_a_crowd_the_echo_says_aloud_how_many_there_were():
    crowd = wanted(ask(Echo(), seeing(*(f'{n} ' + 'x' * 300 for n in range(30))), 0))
    assert [name for name, _ in crowd] == ['reply'] * 30 + ['speak']
    text = crowd[-1][1]['text']
    assert 'You said: 3' in text
    assert text.endswith('And 26 more.')
    assert len(text) < 1000


SCRIPT = {
    'turns': [
        {
            'when': 'message',
            'contains': 'name',
            'steps': [
                {'text': 'a question', 'calls': [{'reply': {'text': 'Mira, {sender}'}}]},
                {'calls': [{'sleep': {'minutes': 5}}], 'tokens': 7},
            ],
        },
        {'when': 'wake', 'steps': [{'calls': [{'sleep': None}]}]},
    ]
}


def test_a_script_plays_the_turn_that_fits_and_sleeps_afterwards():
    script = Scripted(SCRIPT)
    view = seeing('hi', 'your name?')
    first = ask(script, view, 0)
    assert first.text == 'a question'
    assert wanted(first) == [('reply', {'text': 'Mira, ann'})]
    second = ask(script, view, 1)
    assert wanted(second) == [('sleep', {'minutes': 5})]
    assert second.usage.tokens_in == 7
    assert wanted(ask(script, view, 2)) == [('sleep', {})]
    assert wanted(ask(script, seeing('hi'), 0)) == [('sleep', {})]
    assert wanted(ask(script, View(), 0)) == [('sleep', {})]


@pytest.mark.parametrize(
    ('document', 'place'),
    [
        ({}, 'turns'),
        ({'turns': [{'when': 'never', 'steps': []}]}, 'turns.0.when'),
        ({'turns': [{'steps': [{'call': []}]}]}, 'turns.0.steps.0.call'),
        ('text', ''),
    ],
)
def test_a_script_that_cannot_be_played_names_the_place(document, place):
    with pytest.raises(ScriptError) as caught:
        Scripted(document, 'x.yaml')
    assert 'x.yaml' in str(caught.value)
    assert place in str(caught.value)


def test_a_script_file_that_is_missing_or_no_yaml_is_named(tmp_path):
    with pytest.raises(ScriptError, match=r'none\.yaml'):
        Scripted.from_file(str(tmp_path / 'none.yaml'))
    bad = tmp_path / 'bad.yaml'
    bad.write_text('turns: [')
    with pytest.raises(ScriptError, match=r'bad\.yaml'):
        Scripted.from_file(str(bad))
