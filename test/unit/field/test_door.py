"""The door: accepted means journalled, knocking goes on until she wakes, nothing is lost."""

import itertools
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.field.door import LONGEST_PAUSE, Door
from soul.field.door_admission import Refused
from soul.field.memory import DoorMemory
from soul.signals import Message, Reply, Wake, WakeId
from support.memories import reread


def door(memory=None, past=(), limit=1000, pause=2.0):
    return Door(limit, pause, memory, past)


def say(number, **more):
    return Message(**{'id': f'm{number}', 'sender': 'ann', 'text': 'hello', **more})


def entries(outputs):
    return [json.loads(json.dumps(dict(record.entry))) for record in outputs]


def take(d, message, now):
    """Take a message whose record has reached the disk."""
    taken, outputs = d.take(message, now)
    if outputs:
        d.admit(taken, now)
    return taken, outputs


def wake(sequence, *ids):
    return Wake(id=WakeId(1, sequence), message_ids=ids)


def test_a_message_is_recorded_durably_and_knocks_at_once():
    d = door()
    taken, outputs = take(d, say(1), 10.0)
    assert outputs[0].durable
    assert entries(outputs)[0]['message']['id'] == 'm1'
    assert (taken.mode, taken.stamp) == ('interject', 10.0)
    assert d.due() == 10.0
    assert [k.message_id for k in d.knock(10.0)] == ['m1']


def test_an_id_is_given_where_there_is_none_and_a_name_too():
    taken, _ = take(door(), Message(text='x'), 0.0)
    assert taken.id
    assert taken.sender == 'somebody'


def test_a_repetition_changes_nothing_and_is_answered_as_before():
    d = door()
    take(d, say(1), 0.0)
    list(d.knock(0.0))
    again, outputs = take(d, say(1), 5.0)
    assert (again.id, outputs) == ('m1', [])
    assert len(d.messages) == 1
    d.answered(Reply(in_reply_to='m1'))
    assert take(d, say(1), 6.0)[1] == [], 'also long after it was answered'
    assert d.messages == []


@pytest.mark.parametrize(
    ('message', 'said'),
    [
        (say(1, text='  \n'), 'empty'),
        (say(1, text='x' * 1001), '1001 characters, allowed are 1000'),
        (say(1, mode='shout'), "'shout'"),
        (say(1, sender='x' * 201), 'sender'),
    ],
)
def test_what_is_not_taken_is_refused_in_words_and_counted(message, said):
    d = door()
    with pytest.raises(Refused, match=said):
        take(d, message, 0.0)
    assert d.refused == 1
    assert d.messages == []


def test_somebody_elses_id_is_refused():
    d = door()
    take(d, say(1), 0.0)
    with pytest.raises(Refused, match='somebody else'):
        take(d, say(1, sender='ben'), 1.0)


def test_an_id_with_another_text_is_refused_also_after_a_restart():
    d = door()
    take(d, say(1), 0.0)
    for one in (d, door(reread(d.memory()))):
        with pytest.raises(Refused, match='m1 belongs to a message with another text'):
            take(one, say(1, text='something else'), 1.0)
        assert take(one, say(1), 2.0)[1] == []


def test_a_memory_of_before_the_texts_were_kept_is_understood():
    d = door(DoorMemory({'m1': 'ann'}))
    assert take(d, say(1, text='whatever it was'), 0.0)[1] == []
    with pytest.raises(Refused, match='somebody else'):
        take(d, say(1, sender='ben'), 0.0)


def test_what_did_not_reach_the_disk_is_not_taken():
    d = door()
    d.take(say(1), 0.0)
    assert (d.messages, d.due()) == ([], math.inf)
    assert d.take(say(1), 1.0)[1], 'it is written again, not taken for a repetition'


def test_it_knocks_again_and_again_ever_more_slowly_until_she_wakes():
    d = door()
    take(d, say(1), 0.0)
    times, now = [], 0.0
    for _ in range(12):
        now = d.due()
        assert list(d.knock(now))
        times.append(now)
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert gaps[:5] == [2.0, 4.0, 8.0, 16.0, 32.0]
    assert gaps[-1] == LONGEST_PAUSE
    d.woken(wake(1, 'm1'))
    assert d.due() == math.inf


def test_a_neighbour_that_has_just_come_is_knocked_for_at_once():
    d = door()
    take(d, say(1), 0.0)
    for now in (0.0, 2.0, 6.0, 14.0):
        list(d.knock(now))
    assert d.due() == 30.0
    d.hurry(17.0)
    assert d.due() == 17.0
    list(d.knock(17.0))
    d.hurry(17.5)
    assert d.due() == 19.0, 'but not faster than it began'


def test_what_a_turn_has_not_seen_knocks_again_and_what_it_has_seen_rests():
    d = door()
    for number in (1, 2):
        take(d, say(number), 0.0)
    list(d.knock(0.0))
    d.woken(wake(1, 'm1', 'm2'))
    outputs = d.turn_over(['m1'], 50.0)
    assert entries(outputs)[0] == {'kind': 'seen', 'ids': ['m1']}
    assert [k.message_id for k in d.knock(50.0)] == ['m2']
    assert [m.id for m in d.messages] == ['m1', 'm2'], 'both are unanswered'
    assert [m.id for m in d.unseen] == ['m2']
    d.dismiss('m2')
    assert d.due() == math.inf


def test_only_a_final_reply_ends_the_waiting():
    d = door()
    take(d, say(1), 0.0)
    d.answered(Reply(in_reply_to='m1', is_final=False))
    assert d.messages
    d.answered(Reply(in_reply_to='m1'))
    assert not d.messages


ACTIONS = st.lists(
    st.tuples(st.sampled_from(['take', 'wake', 'over', 'reply', 'dismiss']), st.integers(0, 4)),
    max_size=25,
)


@given(ACTIONS, st.integers(0, 25))
def test_after_a_crash_the_journal_and_an_older_memory_give_the_same_door(actions, saved_at):
    d, journal = door(), []
    memory = reread(d.memory())
    for step, (action, number) in enumerate(actions):
        now = float(step)
        outputs = []
        if action == 'take':
            outputs = take(d, say(number), now)[1]
        elif action == 'wake':
            d.woken(wake(step, f'm{number}'))
        elif action == 'over':
            outputs = d.turn_over([f'm{number}'], now)
        elif action == 'reply':
            outputs = d.answered(Reply(in_reply_to=f'm{number}'))
        journal += entries(outputs)
        if step == saved_at:
            memory = reread(d.memory())
    again = door(memory, journal)
    assert {m.id for m in again.messages} == {m.id for m in d.messages}
    assert {m.id for m in again.unseen} == {m.id for m in d.unseen}
    knocking = {k.message_id for k in again.knock(1e9)}
    assert {m.id for m in again.unseen} == knocking, 'what is unseen knocks, and nothing else'
    for number in range(5):
        known = any(a == ('take', number) for a in actions)
        assert (take(again, say(number), 1e9)[1] == []) == known, 'repetitions are still known'


def test_an_answer_the_door_has_not_heard_is_learnt_from_the_turn():
    d = door()
    for number in (1, 2):
        take(d, say(number), 0.0)
    assert d.missed(('m2', 'm9')) == ['m2']
    d.answered(Reply(in_reply_to='m2'))
    assert d.missed(('m2',)) == []


def test_a_reply_to_an_id_that_came_later_does_not_lose_the_message_after_a_crash():
    d = door()
    journal = entries(d.answered(Reply(in_reply_to='m1')))  # anybody can publish that
    journal += entries(take(d, say(1), 1.0)[1])
    again = door(reread(d.memory()), journal)
    assert [m.id for m in again.messages] == ['m1']
    journal += entries(d.answered(Reply(in_reply_to='m1')))
    assert door(None, journal).messages == []
