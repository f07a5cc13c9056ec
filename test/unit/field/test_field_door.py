"""The message protocol: journalled first, knocks until she wakes, seen or knocked again."""

import math

import pytest

from soul.core.organ import Record, SaveSoon
from soul.signals import (
    AttendAction,
    FieldEvent,
    HeartState,
    Knock,
    Message,
    MindState,
    Outcome,
    Phase,
    PostRequest,
    Reply,
    SessionState,
    Turn,
    View,
    Wake,
    WakeId,
)
from support.worlds.field import NOW, Life


def kinds(outputs):
    return [type(o).__name__ for o in outputs]


def test_on_the_disk_before_anybody_hears_of_it():
    life = Life()
    outputs = life.take(life.field.on_message(Message(sender='ann', text='hi'), NOW))
    assert isinstance(outputs[0], Record)
    assert not outputs[0].durable, 'nobody waits to hear that it is on the disk'
    assert outputs[0].journal == 'door'
    assert 'Knock' in kinds(outputs[1:])
    answer, posted = life.field.serve_post(PostRequest(Message(sender='ann', text='ho')), NOW)
    posted = life.take(posted)
    assert answer.accepted
    assert isinstance(posted[0], Record)
    assert posted[0].durable, 'the answer says that it is'


def test_one_wake_one_tick_one_view():
    life = Life()
    answer = life.post()
    views = len(life.of(View))
    view = life.wake()
    assert len(life.of(View)) == views + 1
    assert (view.wake, view.tick, view.render) == (WakeId(1, 1), 1, 0)
    assert view.message_ids == (answer.id,)
    assert view.messages[0].text == 'hello'
    assert view.causes == ('message',)
    assert [r['wake'] for r in life.records('ticks')] == [[1, 1]]
    assert life.records('ticks')[0]['text'] == view.text


def test_a_repeated_wake_shows_the_view_again_without_a_tick():
    life = Life()
    life.post()
    first = life.wake()
    outputs = life.take(life.field.on_wake(Wake(id=first.wake, causes=('message',)), NOW + 5))
    assert kinds(outputs) == ['View']
    assert (outputs[0].tick, outputs[0].wake) == (1, first.wake)
    assert outputs[0].render == 1
    assert len(life.records('ticks')) == 1


def test_an_older_wake_is_nothing():
    life = Life()
    life.wake()
    life.wake()
    assert life.take(life.field.on_wake(Wake(id=WakeId(1, 1), causes=('message',)), NOW)) == []
    assert life.take(life.field.on_wake(Wake(id=WakeId(1, 3), causes=('dream',)), NOW)) == []
    assert life.world.tick == 2
    life.take(life.field.on_wake(Wake(id=WakeId(2, 1), causes=('chosen',)), NOW))
    assert life.world.tick == 3, 'a new epoch begins anew'


def test_it_knocks_until_a_wake_lists_it():
    life = Life(knock_seconds=1.0)
    answer = life.post()
    life.later(70)
    assert life.knocks() == [answer.id] * 7, 'after 1, 2, 4, 8, 16, 32 s'
    life.wake()
    knocked = len(life.knocks())
    assert life.field.due() == math.inf
    life.later(3600)
    assert len(life.knocks()) == knocked


def test_a_heart_that_has_just_come_hears_it_at_once():
    life = Life(knock_seconds=1.0)
    answer = life.post()
    life.later(20)
    life.out.clear()
    life.take(life.field.on_heart_state(HeartState(), life.now))
    assert life.knocks() == [answer.id]


def test_what_a_wake_says_later_is_seen_too():
    """found: a nudge that was accepted while a wake was open was never seen by her."""
    life = Life()
    wake = Wake(id=WakeId(1, 1), causes=('spontaneous',))
    life.take(life.field.on_wake(wake, NOW))
    merged = Wake(wake.stamp, wake.id, ('spontaneous', 'operator'), ('the kettle sings',))
    (seen,) = life.take(life.field.on_wake(merged, NOW + 1))
    assert 'the kettle sings' in seen.text
    assert seen.causes == ('spontaneous', 'operator')


def test_what_a_turn_has_not_seen_knocks_again():
    life = Life()
    one, two = life.post('one'), life.post('two')
    life.wake()
    life.out.clear()
    life.end('reply', seen=[one.id])
    assert life.knocks() == [two.id]
    life.wake()
    life.out.clear()
    life.end('reply', seen=[two.id])
    assert life.knocks() == []


def test_a_failed_turn_leaves_it_new():
    life = Life()
    answer = life.post('an important thing')
    life.wake()
    life.end(seen=[], outcome=Outcome.FAILED, detail='HTTP 500')
    assert life.item(answer.id).new
    life.later(60).wake()
    assert 'ann: an important thing' in life.text
    assert 'your last thought broke off: HTTP 500' in life.text


def test_a_missed_turn_is_caught_up_from_the_state():
    life = Life()
    one, two = life.post('one'), life.post('two')
    life.wake()
    life.out.clear()
    turn = Turn(epoch=1, sequence=1, messages_seen=(one.id,), outcome='slept')
    life.take(life.field.on_mind_state(MindState(phase=Phase.IDLE, last_turn=turn), NOW))
    assert life.knocks() == [two.id]
    life.out.clear()
    life.take(life.field.on_turn(turn, NOW))
    life.take(life.field.on_mind_state(MindState(phase=Phase.IDLE, last_turn=turn), NOW))
    assert not [o for o in life.out if isinstance(o, (Knock, SaveSoon))], 'only once'


def test_in_mid_turn_it_is_shown_at_once():
    life = Life()
    life.wake()
    life.begin()
    life.out.clear()
    answer = life.post('wait!', 'bob')
    (view,) = life.of(View)
    assert view.render == 1
    assert view.tick == 1
    assert 'FOCUS ▸ [' in view.text
    assert 'bob: wait!' in view.text
    assert view.message_ids == (answer.id,)


def test_what_is_for_afterwards_is_seen_when_the_turn_is_over():
    life = Life()
    life.wake()
    life.begin()
    life.out.clear()
    answer = life.post('no hurry', 'bob', mode='queue')
    assert life.of(View) == []
    life.attend(AttendAction.NOTE, text='something else')
    assert 'no hurry' not in life.text
    life.end(seen=())
    view = life.wake()
    assert view.message_ids == (answer.id,)
    assert 'no hurry' in view.text


def test_a_turn_that_ends_does_not_knock_for_another_conversation_still_at_it():
    life = Life()
    one, two = life.post('mine'), life.post('theirs', session='kitchen')
    life.wake()
    kitchen = SessionState('kitchen', 'thinking', 1.0, (two.id,))
    life.take(
        life.field.on_mind_state(MindState(phase=Phase.WAKING, sessions=(kitchen,)), life.now)
    )
    life.out.clear()
    ended = Turn(epoch=1, sequence=1, wake=life.view.wake, messages_seen=())
    life.take(life.field.on_turn(ended, life.now))
    assert life.knocks() == [one.id]
    life.take(life.field.on_mind_state(MindState(phase=Phase.IDLE), life.now))
    failed = Turn(
        epoch=1, sequence=2, wake=life.view.wake, session='kitchen', outcome=Outcome.FAILED
    )
    life.take(life.field.on_turn(failed, life.now))
    assert two.id in life.knocks()
    told = len(life.out)
    for turn in (ended, failed):
        life.take(life.field.on_turn(turn, life.now))
    assert len(life.out) == told, 'turns told again are felt once, in any order'


def test_a_reply_told_twice_is_written_once_also_over_a_restart():
    life = Life()
    posted = life.post()
    life.wake()
    reply = Reply(id='r1', in_reply_to=posted.id, text='yes')
    for _ in range(2):
        life.take(life.field.on_reply(reply, life.now))
    assert len(life.records('door', 'reply')) == 1
    again = life.again({'door': life.records('door')})
    again.take(again.field.on_reply(reply, again.now))
    assert again.records('door', 'reply') == []


def test_the_view_tells_what_the_channels_measured():
    life = Life()
    life.post()
    readings = {r.name: r.value for r in life.wake().readings}
    assert readings['door.arrival'] == 1.0
    life.end()
    assert {r.name: r.value for r in life.wake().readings}['door.arrival'] == 0.0


def test_between_turns_it_waits_for_the_wake():
    life = Life()
    life.out.clear()
    life.post()
    assert life.of(View) == []


def test_an_answer_resolves_it():
    life = Life()
    answer = life.post()
    life.wake()
    life.take(life.field.on_reply(Reply(in_reply_to=answer.id, text='on it', is_final=False), NOW))
    assert life.view.message_ids == (answer.id,)
    life.take(life.field.on_reply(Reply(in_reply_to=answer.id, text='done'), NOW))
    assert life.view.message_ids == ()
    assert life.item(answer.id).resolved
    assert 'waiting' not in life.text
    assert len(life.records('door', 'reply')) == 2


def test_letting_go_of_it_without_an_answer():
    life = Life()
    answer = life.post()
    life.wake()
    item = life.item(answer.id)
    assert life.attend(AttendAction.RESOLVE, item=item.id).ok
    life.out.clear()
    life.end(seen=[])
    assert life.knocks() == []


def test_what_she_let_go_of_waits_no_longer_also_after_a_restart():
    life = Life()
    answer = life.post()
    life.wake()
    life.attend(AttendAction.RESOLVE, item=life.item(answer.id).id)
    assert life.view.message_ids == ()
    life = life.again(past={'door': life.records('door')})
    assert life.view.message_ids == ()
    assert life.knocks() == []


def test_an_answer_written_down_later_than_the_memory():
    life = Life()
    answer = life.post()
    life.wake()
    memory = life.field.memory()
    life.take(life.field.on_reply(Reply(in_reply_to=answer.id, text='yes'), NOW))
    again = Life(NOW, memory, {'door': life.records('door')})
    assert again.view.message_ids == ()
    assert again.item(answer.id).resolved


def test_what_she_never_answers_does_not_pile_up():
    life = Life()
    for n in range(80):
        life.post(f'message {n}', id=f'm{n}')
    life.wake()
    life.end()
    life.attend('look')
    assert len(life.view.message_ids) == 50
    assert life.view.message_ids[-1] == 'm79'


@pytest.mark.parametrize(
    ('action', 'saved'),
    [('note', True), ('intend', True), ('expect', True), ('look', False), ('seen', False)],
)
def test_what_she_does_is_on_the_disk_before_it_is_acknowledged(action, saved):
    life = Life()
    life.out.clear()
    life.attend(action, text='a thought', channel='door')
    first = life.out[0]
    assert (isinstance(first, Record) and first.journal == 'attention' and first.durable) == saved


def test_what_had_slipped_away_is_back_when_she_is_woken_for_it():
    life = Life()
    answer = life.post('do not lose me')
    life.world.remove(life.item(answer.id))
    life.wake()
    assert 'FOCUS ▸' in life.text
    assert 'do not lose me' in life.text


def test_idempotent_by_sender_and_id():
    life = Life()
    assert life.post('one', id='m1').accepted
    items = len(life.world.items)
    assert life.post('one', id='m1').accepted
    assert len(life.world.items) == items
    other = life.post('one again', id='m1')
    assert not other.accepted
    assert 'another text' in other.reason
    answer = life.post('mine', 'eve', id='m1')
    assert not answer.accepted
    assert 'somebody else' in answer.reason


@pytest.mark.parametrize(
    ('given', 'word'),
    [
        ({'text': '  '}, 'empty'),
        ({'text': 'x' * 16001}, '16001'),
        ({'mode': 'shout'}, 'shout'),
        ({'sender': 'x' * 201}, 'sender'),
    ],
)
def test_refused_with_a_reason(given, word):
    life = Life()
    answer = life.post(**given)
    assert not answer.accepted
    assert word in answer.reason
    assert life.field.health(NOW).values['messages refused'] == '1'


def test_a_restart_forgets_nothing():
    life = Life()
    one = life.post('one', 'ann')
    life.wake()
    life.end(seen=[one.id])
    two = life.post('two', 'bob')
    # killed: the memory is old, the journal is not
    life = life.again(past={'door': life.records('door'), 'ticks': life.records('ticks')})
    assert life.knocks() == [two.id]
    assert life.view.message_ids == (one.id, two.id)
    assert life.view.wake == WakeId(1, 1)
    assert life.world.tick == 1
    life.wake()
    assert 'FOCUS ▸' in life.text
    assert 'bob: two' in life.text


def test_a_wake_that_was_ticked_before_a_restart_is_not_ticked_again():
    life = Life()
    life.post()
    memory = life.field.memory()
    wake = life.wake().wake
    again = Life(NOW, memory, {'door': life.records('door'), 'ticks': life.records('ticks')})
    again.take(again.field.on_wake(Wake(id=wake, causes=('message',)), NOW))
    assert again.world.tick == 1
    assert again.records('ticks') == []


def test_floods_are_told_in_one_line():
    life = Life(capacity_chars=300)
    for n in range(200):
        life.post(f'message number {n} with some words in it', 'ann')
    life.wake()
    assert len([e for e in life.of(FieldEvent) if e.kind == 'slipped']) <= 20
    assert life.records('events', 'slipped')[-1]['more'] > 100
    assert len(life.view.message_ids) == 50, 'as many as she can take in'
    assert '150 more messages wait at the door' in life.text, 'and the others in one line'
    assert life.field.health(life.now).values['messages waiting'] == '200'


# --- when very many come at once ----------------------------------------------------------


def burst(life, count, *, text='hello', sender='ann', begin=0, **more):
    """Messages at one moment, each a millisecond after the one before; returns the answers."""
    answers = []
    for n in range(begin, begin + count):
        life.now += 0.001
        message = Message(id=f'{sender}-{n}', sender=sender, text=f'{text} {n}', **more)
        answer, outputs = life.field.serve_post(PostRequest(message), life.now)
        life.take(outputs)
        answers.append(answer)
        if life.field.due() <= life.now:
            life.take(life.field.step(life.now))
    return answers


def test_two_thousand_at_once_are_taken_in_one_by_one_and_seen_together():
    """found 60: each arrival rendered a view with all that waited: 150 s of a whole core."""
    life = Life()
    life.wake()
    life.begin()
    life.out.clear()
    answers = burst(life, 2000)
    assert all(answer.accepted for answer in answers)
    assert len(life.of(Record)) >= 2000, 'every one is in the journal'
    views = life.of(View)
    assert 0 < len(views) <= 4 + 4 * 2.0 / 0.2
    assert max(len(v.messages) for v in views) <= 50
    assert len(life.of(Knock)) <= 50 + len(views), 'those before her knock'
    life.now += 1.0
    life.take(life.field.step(life.now))
    assert life.view.messages[-1].text == 'hello 1999', 'what came last is seen'
    assert '1950 more messages wait' in life.text


def test_one_of_her_people_is_seen_at_once_whoever_else_waits():
    """found 60: then a trusted post got no answer in 30 s."""
    life = Life()
    life.wake()
    life.begin()
    for crowd in range(10):
        burst(life, 200, sender=f'stranger {crowd}')
    assert burst(life, 1, sender='anna', text='it is me', trusted=True)[0].accepted
    for crowd in range(10):
        burst(life, 50, sender=f'stranger {crowd}', begin=200)
    life.now += 1.0
    life.take(life.field.step(life.now))
    assert 'it is me 0' in [m.text for m in life.view.messages]


def test_very_long_ones_do_not_make_a_view_of_megabytes():
    """found 60: 300 of 16 kB made views of 1.1 MB."""
    life = Life()
    life.wake()
    life.begin()
    burst(life, 300, text='words and more words ' * 700)
    life.now += 1.0
    life.take(life.field.step(life.now))
    for view in life.of(View):
        assert len(view.text) + sum(len(m.text) for m in view.messages) < 120_000


def test_all_of_them_are_seen_in_the_end():
    """found 60: those that were not shown come before her in their turn."""
    life = Life()
    burst(life, 180)
    seen = set()
    for _ in range(6):
        life.wake()
        seen |= set(life.view.message_ids)
        life.end(seen=life.view.message_ids)
        for message in list(life.view.messages):
            life.take(life.field.on_reply(Reply(in_reply_to=message.id), life.now))
    assert len(seen) == 180
    assert life.field.health(life.now).values['messages waiting'] == '0'


def test_a_door_that_is_full_says_so():
    """found 60: what nobody will ever read must not fill her memory."""
    life = Life()
    answers = burst(life, 300, text='x' * 15_990)
    assert not answers[-1].accepted
    assert 'messages wait already; say it again later' in answers[-1].reason
    assert burst(life, 1, sender='anna', text='it is me', trusted=True)[0].accepted
    assert len(str(life.field.memory())) < 6_000_000
