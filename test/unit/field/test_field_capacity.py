"""Limited capacity: what is compressed, what slips away, what stays."""

import pytest

from soul.field import capacity
from soul.field.item import AROUND, CLOSE, EDGE, FOCUS, FULL, GIST, TRACE
from soul.field.items import Items
from soul.signals import AttendAction
from support.worlds.field import NOW, Life, enter, perception, sight

LONG = 'x' * 92  # costs 100
SHORT = 'y' * 42  # costs 50
FAINT = 'z' * 12  # costs 20


def made(*entries):
    """Items of (salience, ring) and more; each costs 100, 50 or 20."""
    items = Items()
    for salience, ring, *flags in entries:
        kind = 'message' if 'waits' in flags else 'alert' if 'alert' in flags else 'note'
        item = items.add(kind, 'src', '', LONG, SHORT, FAINT, salience)
        item.ring = ring
        item.held = 'held' in flags
        item.anchor = 'anchor' in flags
        item.new = 'new' in flags
        item.resolved = 'resolved' in flags
    return items


@pytest.mark.parametrize(
    ('entries', 'limit', 'focus', 'left'),
    [
        # enough room: nothing happens
        ([(0.5, EDGE)] * 3, 300, -1, [FULL, FULL, FULL]),
        # one step is enough
        ([(0.5, EDGE), (0.4, EDGE)], 199, -1, [FULL, GIST]),
        ([(0.5, EDGE), (0.4, EDGE)], 150, -1, [FULL, GIST]),
        # two steps
        ([(0.5, EDGE), (0.4, EDGE)], 149, -1, [FULL, TRACE]),
        ([(0.5, EDGE), (0.4, EDGE)], 120, -1, [FULL, TRACE]),
        # then it goes
        ([(0.5, EDGE), (0.4, EDGE)], 119, -1, [FULL, None]),
        # and the next one begins
        ([(0.5, EDGE), (0.4, EDGE)], 99, -1, [GIST, None]),
        ([(0.5, EDGE), (0.4, EDGE)], 10, -1, [None, None]),
        # proximity: 0.5 close beats 0.9 at the edge; around 0.75
        ([(0.5, CLOSE), (0.9, EDGE)], 150, -1, [FULL, GIST]),
        ([(0.5, AROUND), (0.76, EDGE)], 150, -1, [GIST, FULL]),
        ([(0.5, AROUND), (0.74, EDGE)], 150, -1, [FULL, GIST]),
        # somebody who waits counts 1.3
        ([(0.4, EDGE, 'waits'), (0.51, EDGE)], 150, -1, [FULL, GIST]),
        ([(0.4, EDGE, 'waits'), (0.53, EDGE)], 150, -1, [GIST, FULL]),
        ([(0.4, EDGE, 'waits', 'resolved'), (0.41, EDGE)], 150, -1, [GIST, FULL]),
        # the focus is never touched, however faint
        ([(0.01, FOCUS), (0.9, CLOSE), (0.9, CLOSE)], 150, 0, [FULL, None, GIST]),
        ([(0.01, FOCUS)], 100, 0, [FULL]),
        # held goes last, and stays as a trace
        ([(0.01, CLOSE, 'held'), (0.9, CLOSE)], 150, -1, [FULL, GIST]),
        ([(0.01, CLOSE, 'held'), (0.9, CLOSE)], 60, -1, [GIST, None]),
        ([(0.01, CLOSE, 'held'), (0.9, CLOSE)], 1, -1, [TRACE, None]),
        # what nobody has seen yet goes before what is held, and after all else
        ([(0.1, EDGE, 'waits', 'new'), (0.9, CLOSE)], 150, -1, [FULL, GIST]),
        ([(0.1, EDGE, 'waits', 'new'), (0.1, CLOSE, 'held')], 150, -1, [GIST, FULL]),
        # gauges compress and stay; alerts count as close
        ([(0.1, EDGE, 'anchor'), (0.9, CLOSE)], 110, -1, [TRACE, GIST]),
        ([(0.5, 4, 'alert'), (0.9, EDGE)], 150, -1, [FULL, GIST]),
        # of equals the older one goes first
        ([(0.5, EDGE), (0.5, EDGE)], 150, -1, [GIST, FULL]),
    ],
)
def test_who_gives_way(entries, limit, focus, left):
    items = made(*entries)
    all_of_them = list(items)
    gone = capacity.fit(items.rows, limit, focus)
    assert [None if gone[i.row] else i.fidelity for i in all_of_them] == left
    items.remove(gone)
    if None in left or limit >= 100:
        stays = sum(i.held or i.anchor for i in items)
        assert capacity.used(items.rows) <= limit or stays


def test_a_thousand_new_things_leave_a_full_field_and_no_more():
    seen = perception()
    enter(seen, *(sight(f'k{n}', text=f'thing number {n} of very many') for n in range(1000)))
    seen.tick(NOW + 1)
    assert 0.9 < seen.world.fullness() <= 1.0


def test_a_flood_between_ticks_does_not_pile_up():
    seen = perception()
    for n in range(5000):
        enter(seen, sight(f'k{n}', text=f'thing number {n}', salience=0.3))
    assert len(seen.world.items) <= 1001
    enter(seen, sight('last', salience=0.9))
    assert seen.world.items.by_key('last')


def test_a_very_long_message_does_not_empty_the_field():
    life = Life()
    for n in range(10):
        life.attend(AttendAction.NOTE, text=f'thought number {n} about whales')
    life.post('long ' * 3000)
    view = life.wake()
    assert 'long ' * 2999 in view.text, 'in full on its first tick'
    assert len(life.world.items) > 10
    life.end('reply')
    life.attend(AttendAction.FOCUS, text='something else')
    life.later(60).wake()
    assert life.view.fullness <= 1.0
    assert len(life.text) < 5000


def test_what_slipped_away_is_shown_once_and_written_down():
    life = Life(capacity_chars=300)
    for n in range(9):
        life.attend(AttendAction.NOTE, text=f'note {n}: ' + 'words ' * 8)
    life.wake()
    slipped = life.records('events', 'slipped')
    assert slipped
    assert slipped[0]['text'].startswith('note')
    life.post('a longer message that needs all the room there is ' * 3)
    life.wake()
    assert 'Slipped away: “note' in life.text
    assert life.attend('look').view.text == life.text, 'for as long as the tick lasts'
    life.wake(ids=[])
    assert 'Slipped away' not in life.text


def test_what_faded_slipped_away_too():
    life = Life()
    life.attend(AttendAction.NOTE, text='buy milk')
    life.wake()  # the first tick only begins her time
    life.later(48 * 3600).wake()
    assert 'Slipped away: “buy milk”.' in life.text
    assert [e.text for e in life.events('slipped')] == ['buy milk']


def test_of_a_lost_focus_a_thought_is_left():
    life = Life()
    life.attend(AttendAction.NOTE, text='a thought about rain')
    note = next(i for i in life.world.items if i.kind == 'note')
    life.attend(AttendAction.FOCUS, item=note.id)
    life.world.remove(note)
    assert life.attend('look').view.focus == 'a thought about rain'
    assert 'FOCUS ▸ “a thought about rain”' in life.text


def test_looking_brings_a_thing_back_into_detail():
    seen = perception()
    (item,) = enter(seen, sight('k', text='all of it ' * 20, gist='some of it'))
    item.fidelity = TRACE
    seen.world.attention.choose(seen.world.items, item.id)
    assert item.fidelity == FULL


def test_what_she_sees_is_the_coarser_of_fidelity_and_ring():
    seen = perception()
    texts = [f'{n} ' + 'full text ' * 10 for n in range(14)]
    items = enter(
        seen,
        *(
            sight(f'k{n}', text=t, gist=f'gist {n}', salience=0.4 - n / 100)
            for n, t in enumerate(texts)
        ),
    )
    items[0].fidelity = GIST
    seen.tick(NOW)
    view = seen.view(NOW)
    assert [i.text for i in view.close[:2]] == ['gist 0', texts[1]]
    assert {i.text for i in view.around} == {f'gist {n}' for n in range(4, 10)}
    assert {i.text for i in view.edge} == {'a thought'}
    assert {i.id for i in view.edge} == {''}, 'too faint to act on'
