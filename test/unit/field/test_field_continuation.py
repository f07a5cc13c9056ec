"""A message that goes on with one before which she has not woken: the two are one."""

import json

import pytest

from soul.field.continuation import joined
from soul.field.door import Door
from soul.signals import Message, MindState, Phase, PostRequest, Reply
from support.memories import reread
from support.worlds.field import NOW, Life

FIRST = {'id': 'one', 'sender': 'voice', 'channel': 'voice', 'session': 'dev', 'text': 'go to'}


def post(life, continues='', **given):
    message = Message(**(FIRST | {'id': 'two', 'text': 'the kitchen'} | given))
    answer, outputs = life.field.serve_post(PostRequest(message, continues=continues), life.now)
    life.take(outputs)
    return answer


def texts(life):
    return [message.text for message in life.field.door.messages]


@pytest.fixture
def life():
    life = Life()
    assert post(life, **FIRST).id == 'one'
    return life


def test_she_sees_both_as_one_message(life):
    answer = post(life, 'one')
    assert (answer.accepted, answer.id) == (True, 'one')
    view = life.wake()
    assert [(m.id, m.text) for m in view.messages] == [('one', 'go to the kitchen')]
    assert view.text.endswith('] voice: go to the kitchen')
    assert 'one is waiting' in view.text


def test_a_third_part_goes_on_with_the_second(life):
    post(life, 'one')
    assert post(life, 'two', id='three', text='please').id == 'one'
    assert texts(life) == ['go to the kitchen please']


def test_once_a_wake_has_taken_it_the_rest_is_a_message_of_its_own(life):
    life.wake()
    assert post(life, 'one').id == 'two'
    assert texts(life) == ['go to', 'the kitchen']


def test_in_mid_turn_too(life):
    life.take(life.field.on_mind_state(MindState(phase=Phase.WAKING), NOW))
    assert post(life, 'one').id == 'two'
    assert texts(life) == ['go to', 'the kitchen']


@pytest.mark.parametrize(
    'other',
    [{'sender': 'ann'}, {'channel': 'http'}, {'session': 'other'}, {'trusted': True},
     {'mode': 'queue'}, {'text': 'x' * 3991}],
)  # fmt: skip
def test_what_differs_or_is_too_long_stands_alone(other):
    life = Life(message_limit=4000)
    post(life, **FIRST | {'text': 'go to the'})
    assert post(life, 'one', **other).id == 'two'
    assert len(texts(life)) == 2


@pytest.mark.parametrize('of', ['', 'nobody', 'two'])
def test_what_goes_on_with_nothing_stands_alone(life, of):
    assert post(life, of).id == 'two'
    assert texts(life) == ['go to', 'the kitchen']


def test_after_an_answer_it_is_a_message_of_its_own(life):
    life.take(life.field.on_reply(Reply(in_reply_to='one', text='yes'), NOW))
    assert post(life, 'one').id == 'two'
    assert texts(life) == ['the kitchen']


def test_a_repetition_of_either_changes_nothing(life):
    post(life, 'one')
    assert post(life, 'one').id == 'one'
    assert post(life, **FIRST).id == 'one'
    assert texts(life) == ['go to the kitchen']
    wrong = post(life, 'one', text='the cellar')
    assert not wrong.accepted
    assert 'another text' in wrong.reason


@pytest.mark.parametrize('saved_after', [0, 1, 2])
def test_a_restart_loses_nothing_and_says_nothing_twice(saved_after):
    d, journal = Door(1000, 2.0), []
    memory = reread(d.memory())
    for number, (given, of) in enumerate(
        [(FIRST, ''), (FIRST | {'id': 'two', 'text': 'the kitchen'}, 'one')], 1
    ):
        taken, (record,) = d.take(Message(**given), NOW, continues=of)
        d.admit(taken, NOW, record.entry.get('joins', ''))
        journal.append(json.loads(json.dumps(dict(record.entry))))
        if number == saved_after:
            memory = reread(d.memory())
    again = Door(1000, 2.0, memory, journal)
    assert [m.text for m in again.messages] == ['go to the kitchen']
    for given in (FIRST, FIRST | {'id': 'two', 'text': 'the kitchen'}):
        assert again.take(Message(**given), NOW)[1] == [], 'repetitions are still known'


def test_an_entry_that_names_no_message_is_none(life):
    entry = dict(life.records('door')[0])
    assert life.field.unfit('door', entry) == ''
    assert 'part of' in life.field.unfit('door', entry | {'joins': 7})


@pytest.mark.parametrize(
    ('first', 'more', 'whole'),
    [
        ('go to', 'the kitchen', 'go to the kitchen'),
        ('go to ', ' the kitchen', 'go to the kitchen'),
        ('去厨房', '看看', '去厨房看看'),
        ('台所へ', '行って', '台所へ行って'),
        ('行って。', 'ください', '行って。ください'),
        ('부엌으로', '가', '부엌으로 가'),
        ('看看', 'the lamp', '看看 the lamp'),
    ],
)
def test_a_space_stands_between_them_where_the_script_has_any(first, more, whole):
    assert joined(first, more) == whole
