"""Scenarios of SoulScript Loop: neglect, interrupt recovery, learnt habits, alternation."""

import itertools

import pytest

from soul.signals import AttendAction, FieldEventKind, Message, Reply
from support.worlds.field import Life


def test_neglect_a_message_left_unanswered_drags_the_mood():
    """She sees it, does not answer, and does other things for half a day."""
    life = Life()
    life.attend(AttendAction.FOCUS, text='the essay about whales')
    life.wake()
    before = life.view.valence
    life.post('are you there? I have to tell you something', 'Trent')
    life.wake()
    life.end('diary')
    life.attend(AttendAction.FOCUS, text='the essay about whales')
    valences = []
    for _ in range(12):
        life.later(3600).wake()
        life.end('diary')
        valences.append(life.view.valence)
    assert valences[0] < before
    assert valences[-1] < -0.2
    assert all(later <= earlier + 0.02 for earlier, later in itertools.pairwise(valences))
    assert life.view.mood in ('heavy', 'unsettled')
    assert 'tension gathers around “Trent: are you there?' in life.view.because
    message = life.item(life.view.message_ids[0])
    assert message.valence == -1.0
    # and dealing with it lifts the mood
    life.take(life.field.on_reply(Reply(in_reply_to=message.key, text='I am here'), life.now))
    for _ in range(10):
        life.later(3600).wake()
        life.end('diary')
    assert life.view.valence > -0.1
    assert 'tension gathers around “Trent' not in life.view.because


def test_answering_leaves_warmth():
    life = Life()
    life.post('good morning', 'Trent')
    life.wake()
    message = life.item(life.view.message_ids[0])
    life.take(life.field.on_reply(Reply(in_reply_to=message.key, text='hello'), life.now))
    assert (message.resolved, message.valence, message.growth) == (True, 0.3, 0.0)
    assert life.view.message_ids == ()


def test_interrupt_recovery_she_returns_to_the_thread():
    """A message collides with a half-formed thought; once answered, the thread is there again."""
    life = Life()
    life.attend(AttendAction.INTEND, text='finish the essay about whale song')
    intention = next(i for i in life.world.items if i.kind == 'intention')
    life.attend(AttendAction.FOCUS, item=intention.id)
    life.wake()
    life.begin()
    life.post('did you see the launch tonight?', 'Trent', mode='interrupt')
    view = life.view
    assert 'FOCUS ▸ [' in view.text
    assert 'Trent: did you see the launch tonight?' in view.focus
    # she looks something up for the answer
    view = life.attend(
        AttendAction.SEEN, source='web_search', text='the launch was a success'
    ).view
    assert view.focus.startswith('web_search')
    life.take(
        life.field.on_reply(Reply(in_reply_to=view.message_ids[0], text='what a sight'), life.now)
    )
    assert life.view.focus_id == intention.id
    assert 'you look again at: you intend to finish the essay' in life.text
    life.end('web_search', 'reply')
    life.later(300).wake()
    assert life.view.focus_id == intention.id


def test_interrupted_twice_she_finds_back_step_by_step():
    life = Life()
    life.attend(AttendAction.FOCUS, text='whales')
    life.wake()
    life.post('one', 'ann', id='m1')
    life.wake()
    life.post('two', 'bob', id='m2')
    life.wake()
    assert life.view.focus == 'bob: two'
    life.take(life.field.on_reply(Reply(in_reply_to='m2', text='2'), life.now))
    assert life.view.focus == 'ann: one'
    life.take(life.field.on_reply(Reply(in_reply_to='m1', text='1'), life.now))
    assert life.view.focus == 'whales'


def test_answered_out_of_order_she_skips_what_is_done():
    life = Life()
    life.attend(AttendAction.FOCUS, text='whales')
    for n, sender in (('m1', 'ann'), ('m2', 'bob')):
        life.wake()
        life.post(n, sender, id=n)
    life.wake()
    life.take(life.field.on_reply(Reply(in_reply_to='m1', text='1'), life.now))
    assert life.view.focus == 'bob: m2'
    life.take(life.field.on_reply(Reply(in_reply_to='m2', text='2'), life.now))
    assert life.view.focus == 'whales'


def test_a_new_decision_ends_the_way_back():
    life = Life()
    life.attend(AttendAction.FOCUS, text='whales')
    life.wake()
    life.post('hello', 'ann', id='m1')
    life.wake()
    life.attend(AttendAction.FOCUS, text='rockets')
    life.take(life.field.on_reply(Reply(in_reply_to='m1', text='hi'), life.now))
    assert life.view.focus == 'rockets'


def test_the_way_back_survives_a_restart():
    life = Life()
    life.attend(AttendAction.FOCUS, text='whales')
    life.wake()
    life.post('hello', 'ann', id='m1')
    life.wake()
    life = life.again(past={'door': life.records('door')})
    life.take(life.field.on_reply(Reply(in_reply_to='m1', text='hi'), life.now))
    assert life.view.focus == 'whales'


def test_habits_are_learnt():
    """The gap and the arrivals converge; a change surprises, and then no more."""
    life = Life()

    def day(gap, count):
        told = len(life.events(FieldEventKind.SURPRISED))
        for _ in range(count):
            life.later(gap).wake(ids=[])
            life.end('diary')
        return len(life.events(FieldEventKind.SURPRISED)) - told

    day(600, 20)
    assert day(600, 10) == 0
    assert day(30, 8) >= 1
    assert day(30, 20) == 0


def test_the_field_follows_her_attention():
    life = Life()
    for text in (
        'Trent likes astronomy and rocket launches at night',
        'the essay about humpback whale song needs an ending',
        'the garden needs water in the evening',
        'whales sing in dialects, says the research',
        'back up the configuration of the weather station',
        'a rocket was launched to the space station',
    ):
        life.attend(AttendAction.NOTE, text=text)
    view = life.attend(AttendAction.FOCUS, text='the whale essay, whales and their song').view
    assert 'whale' in view.close[0].text
    assert 'whale' in view.close[1].text
    view = life.attend(AttendAction.FOCUS, text='a rocket launch').view
    assert 'rocket' in view.close[0].text
    assert 'rocket' in view.close[1].text
    assert view.close[0].relatedness >= view.close[1].relatedness > view.around[0].relatedness


def test_a_thing_somebody_says_wins_over_a_loud_field():
    life = Life()
    for n in range(40):
        life.attend(AttendAction.NOTE, text=f'a loud thought number {n} ' * 3)
    life.post('please look at this now', 'Trent')
    life.wake()
    assert 'FOCUS ▸ [' in life.text
    assert 'Trent: please look at this now' in life.text


def test_an_intention_is_held_and_a_note_is_a_little_warm():
    """Decided: 0.7, +0.1 and held; +0.05."""
    life = Life()
    life.attend(AttendAction.NOTE, text='the sea is calm')
    for n in range(4):
        life.attend(AttendAction.INTEND, text=f'plan number {n}')
    note = next(i for i in life.world.items if i.kind == 'note')
    intended = [i for i in life.world.items if i.kind == 'intention']
    assert note.valence == pytest.approx(0.05)
    assert {(i.salience, i.valence) for i in intended} == {(0.7, 0.1)}
    assert [i.held for i in intended] == [True, True, True, False], 'three things at most'


def test_of_several_people_at_once_the_newest_four_are_read_in_full():
    """The others wait as anything else does, and are heard in the mind all the same."""
    life = Life()
    for n in range(6):
        life.take(
            life.field.on_message(
                Message(id=f'm{n}', sender=f'p{n}', text=f'this is what I want to say: {n} ' * 5),
                life.now,
            )
        )
    life.wake()
    for n in range(2, 6):
        assert f'p{n}: ' + (f'this is what I want to say: {n} ' * 5).strip() in life.text
    close = {life.view.focus_key, *(item.key for item in life.view.close)}
    assert {'m2', 'm3', 'm4', 'm5'} <= close
    assert 'm1' not in close
    assert [m.id for m in life.view.messages] == [f'm{n}' for n in range(6)]


def test_of_one_persons_messages_only_the_newest_is_close_whatever_she_looks_at():
    life = Life()
    for n in range(5):
        life.post(f'one more thing about the boat: {n}', 'ann', id=f'm{n}')
    life.wake()
    assert [item.key for item in life.world.items if item.new] == ['m4']
    life.end(seen=['m4'])
    life.wake()
    assert [item.key for item in life.world.items if item.new] == ['m3']
    life.end(seen=[f'm{n}' for n in range(5)])
    life.wake()
    assert not [item for item in life.world.items if item.new]
