"""What takes her focus, what does not, and what she does with it herself."""

import pytest

from soul.signals import AttendAction, AttendRequest
from support.worlds.field import NOW, Life, enter, perception, sight

FOCUS, UNFOCUS, SEEN = AttendAction.FOCUS, AttendAction.UNFOCUS, AttendAction.SEEN


def attend(seen, action, **given):
    assert seen.attend(AttendRequest(action=action, **given), NOW) == ''


@pytest.mark.parametrize(
    ('salience', 'chosen', 'taken'),
    [
        (0.44, False, False),
        (0.449999, False, False),
        (0.45, False, True),
        (0.64, False, True),
        (0.44, True, False),
        (0.45, True, False),
        (0.6499, True, False),
        (0.65, True, True),
        (1.0, True, True),
        (0.0, False, False),
    ],
)
def test_the_threshold(salience, chosen, taken):
    seen = perception()
    enter(seen, sight('first', salience=0.1))
    if chosen:
        attend(seen, FOCUS, text='the essay')
    (item,) = enter(seen, sight('new', salience=salience))
    seen.tick(NOW + 1)
    assert (seen.world.attention.gaze.item == item.id) == taken


@pytest.mark.parametrize('kind', ['surprise', 'alert', 'time', 'energy', 'body'])
def test_alerts_and_gauges_never_take_the_focus(kind):
    seen = perception()
    enter(seen, sight('loud', kind, salience=1.0))
    seen.tick(NOW + 1)
    assert seen.world.attention.gaze.item == ''


def test_a_deliberate_unfocus_counts_as_chosen():
    seen = perception()
    attend(seen, UNFOCUS)
    enter(seen, sight('new', salience=0.6))
    seen.tick(NOW + 1)
    assert seen.world.attention.gaze.item == ''
    (item,) = enter(seen, sight('newer', salience=0.7))
    seen.tick(NOW + 2)
    assert seen.world.attention.gaze.item == item.id


def test_what_her_own_acting_brought_does_not_take_the_focus():
    seen = perception()
    enter(seen, sight('own', salience=1.0, own=True))
    seen.tick(NOW + 1)
    assert seen.world.attention.gaze.item == ''


def test_the_strongest_of_several_takes_it():
    seen = perception()
    _, strong, _ = enter(
        seen, sight('a', salience=0.5), sight('b', salience=0.9), sight('c', salience=0.7)
    )
    seen.tick(NOW + 1)
    assert seen.world.attention.gaze.item == strong.id


def test_only_what_is_new_takes_it():
    seen = perception()
    (item,) = enter(seen, sight('old', salience=0.5))
    seen.tick(NOW + 1)
    attend(seen, FOCUS, text='something else')
    item.salience = 1.0
    seen.tick(NOW + 2)
    assert seen.world.attention.gaze.topic == 'something else'


def test_a_standing_reading_does_not_arrive():
    seen = perception()
    enter(seen, sight('level', salience=1.0, level=True))
    seen.tick(NOW + 1)
    assert seen.world.attention.gaze.item == ''


def test_the_same_again_is_no_new_arrival_and_a_change_only_gets_louder():
    seen = perception()
    (item,) = enter(seen, sight('k', salience=0.3))
    seen.tick(NOW + 1)
    enter(seen, sight('k', salience=0.9))
    assert item.salience == pytest.approx(0.3, rel=1e-3)
    enter(seen, sight('k', text='it says something else', salience=0.9))
    assert item.salience == pytest.approx(0.9)
    seen.tick(NOW + 2)
    assert seen.world.attention.gaze.item == ''


def test_a_resolved_arrival_does_not_take_it():
    seen = perception()
    (item,) = enter(seen, sight('done', salience=0.9))
    item.resolve()
    seen.tick(NOW + 1)
    assert seen.world.attention.gaze.item == ''


def test_a_captured_focus_is_not_a_chosen_one():
    seen = perception()
    enter(seen, sight('one', salience=0.9))
    seen.tick(NOW + 1)
    (two,) = enter(seen, sight('two', salience=0.46))
    seen.tick(NOW + 2)
    assert seen.world.attention.gaze.item == two.id


def test_she_is_told_what_pulled_her_away():
    life = Life()
    life.attend(FOCUS, text='the whale essay')
    life.post('did you see the launch?', 'Trent')
    life.wake()
    assert 'Your focus was pulled from the whale essay by: Trent: did you see' in life.text
    captured = life.events('captured')
    assert captured[-1].item_id == life.view.focus_id
    assert life.records('events', 'captured')[-1]['item'] == life.view.focus_id


def test_focus_by_item_by_text_and_by_source():
    life = Life()
    life.attend(AttendAction.NOTE, text='the whales sing in dialects')
    note = next(i for i in life.world.items if i.kind == 'note')
    assert life.attend(FOCUS, item=note.id).view.focus_id == note.id
    assert life.attend(FOCUS, item=f'[{note.id}]').ok
    view = life.attend(FOCUS, text='rockets').view
    assert (view.focus_id, view.focus) == ('', 'rockets')
    assert life.attend(FOCUS, source='self').view.focus_id == note.id
    assert life.attend(UNFOCUS).view.focus == ''


def test_looking_is_focusing():
    life = Life()
    answer = life.attend(SEEN, source='web_search', text='humpback songs are hierarchical')
    assert answer.view.focus == 'web_search → humpback songs are hierarchical'
    assert '[m' in answer.view.text
    # the same again is the same thing
    life.attend(SEEN, source='web_search', text='humpback songs are hierarchical')
    assert len([i for i in life.world.items if i.kind == 'seen']) == 1


def test_what_cannot_be_done_says_why():
    life = Life()
    for given, word in [
        ({'action': FOCUS}, 'needs'),
        ({'action': FOCUS, 'item': 'd99'}, 'no item d99'),
        ({'action': FOCUS, 'source': 'nobody'}, 'nothing from nobody'),
        ({'action': AttendAction.HOLD}, 'needs an item'),
        ({'action': AttendAction.NOTE, 'text': '  '}, 'needs a text'),
        ({'action': 'dance'}, "unknown action 'dance'"),
    ]:
        answer = life.attend(**given)
        assert not answer.ok
        assert word in answer.reason
        assert answer.view.text, 'and still shows the field'


def test_at_most_three_are_held():
    life = Life()
    for n in range(4):
        life.attend(AttendAction.NOTE, text=f'note {n}')
    ids = [i.id for i in life.world.items if i.kind == 'note']
    assert [life.attend(AttendAction.HOLD, item=i).ok for i in ids] == [True, True, True, False]
    assert life.attend(AttendAction.HOLD, item=ids[0]).ok, 'again is no fourth'
    life.attend(AttendAction.RELEASE, item=ids[0])
    assert life.attend(AttendAction.HOLD, item=ids[3]).ok
    assert life.text.count('◆') == 3


def test_dwelling_without_acting_becomes_circling():
    life = Life(rumination_ticks=3)
    life.attend(FOCUS, text='what Trent needs')
    for _ in range(2):
        life.later(600).wake()
        assert 'what Trent needs” for' not in life.text
        life.end('sleep')
    life.later(600).wake()
    assert 'your focus has been on “what Trent needs” for 3' in life.text, (
        'at the third, not after'
    )
    life.end('diary')
    life.later(600).wake()
    assert 'your focus has been' not in life.text


def test_moving_the_focus_ends_the_dwelling():
    life = Life(rumination_ticks=2)
    life.attend(FOCUS, text='one')
    for _ in range(3):
        life.wake()
        life.end('sleep')
    life.attend(FOCUS, text='two')
    life.wake()
    assert 'your focus has been' not in life.text
