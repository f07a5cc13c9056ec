"""What holds for a field whatever happens to it."""

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from soul.field import capacity
from soul.field.item import FOCUS
from soul.field.perception import Perception
from soul.field.render import ViewFrame, render
from soul.signals import (
    AttendRequest,
    Energy,
    Message,
    NamedValue,
    Percept,
    Reply,
    SenseEvent,
    Wake,
)
from support.worlds.field import NOW, Life, config

TEXTS = st.text(st.characters(codec='utf-8', exclude_categories=['Cs']), min_size=1, max_size=120)
KEYS = st.sampled_from(['k1', 'k2', 'k3', 'k4', ''])
LEVEL = st.floats(-0.5, 1.5)
KINDS = st.sampled_from(['note', 'task', 'work', 'surprise', 'message', 'energy', 'strange', ''])

PERCEPTS = st.builds(
    Percept,
    key=KEYS,
    kind=KINDS,
    source=st.sampled_from(['lidar', 'web', 'door', 'self', 'time']),
    text=TEXTS,
    salience=LEVEL,
    valence=LEVEL,
    features=st.lists(
        st.builds(NamedValue, st.sampled_from(['a', 'b']), st.floats(0, 1e6)), max_size=2
    ).map(tuple),
    events=st.sampled_from([(), ('x',), ('door',)]),
    resolve=st.lists(KEYS, max_size=2).map(tuple),
    clear=st.lists(KEYS, max_size=2).map(tuple),
)
ACTIONS = st.sampled_from(
    ['focus', 'unfocus', 'hold', 'release', 'resolve', 'note', 'intend', 'expect', 'seen', 'look']
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just('percept'), PERCEPTS),
        st.tuples(st.just('message'), TEXTS),
        st.tuples(st.just('sense'), st.sampled_from(['touched', 'moved', 'novel'])),
        st.tuples(st.just('reply'), st.integers(0, 5)),
        st.tuples(st.just('attend'), st.tuples(ACTIONS, st.integers(0, 8), TEXTS)),
        st.tuples(st.just('later'), st.floats(0.0, 1e5)),
        st.tuples(st.just('wake'), st.booleans()),
        st.tuples(st.just('turn'), st.booleans()),
        st.tuples(st.just('begin'), st.none()),
    ),
    max_size=25,
)


def play(life, steps):
    for what, given_ in steps:
        if what == 'percept':
            life.take(life.field.on_percept(given_, life.now))
        elif what == 'message':
            life.take(life.field.on_message(Message(sender='ann', text=given_), life.now))
        elif what == 'sense':
            life.hear(SenseEvent(kind=given_, magnitude=0.5))
        elif what == 'reply':
            ids = life.view.message_ids
            if given_ < len(ids):
                reply = Reply(in_reply_to=ids[given_], text='yes')
                life.take(life.field.on_reply(reply, life.now))
        elif what == 'attend':
            action, number, text = given_
            items = list(life.world.items)
            item = items[number % len(items)].id if items and number % 3 else ''
            request = AttendRequest(action, item, text, 'web', 'door', 5.0)
            life.take(life.field.serve_attend(request, life.now)[1])
        elif what == 'later':
            life.later(given_)
        elif what == 'wake':
            life.wake(ids=None if given_ else [])
        elif what == 'turn':
            life.end('diary' if given_ else 'sleep')
        else:
            life.begin()


def check(life):
    world = life.world
    rows = world.items.rows
    ids = [item.id for item in world.items]
    assert len(set(ids)) == len(ids), 'ids are unique'
    assert len({item.key for item in world.items}) == len(ids), 'keys are unique'
    assert all(world.items[n].row == n for n in range(len(ids)))
    assert ((rows['salience'] >= 0) & (rows['salience'] <= 1)).all()
    assert ((rows['valence'] >= -1) & (rows['valence'] <= 1)).all()
    assert rows['held'].sum() <= 3
    assert -1 <= world.mood.valence <= 1
    assert 0 <= world.mood.arousal <= 1
    assert (rows['ring'] == FOCUS).sum() <= 1


@settings(max_examples=120, deadline=None)
@given(STEPS)
def test_whatever_happens(steps):
    life = Life(capacity_chars=600)
    play(life, steps)
    check(life)
    view = life.wake()
    check(life)
    world = life.world
    rows = world.items.rows
    focus = world.attention.row(world.items)
    exempt = rows['held'] | rows['anchor']
    cost = capacity.costs(rows)
    kept = int(cost[exempt].sum()) + (int(cost[focus]) if focus >= 0 else 0)
    assert int(cost.sum()) <= max(600, kept), 'more only by the focus and what is held'
    # the typed view and the text say the same
    ids = re.findall(r'^ {2}\[([a-z]+\d+)\]', view.text, re.M)
    assert ids == [i.id for i in (*view.close, *view.around)]
    assert all(item.key for item in (*view.close, *view.around))
    assert set(view.message_ids) == {m.id for m in life.field.door.messages}


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_rendering_is_a_function_of_the_state(steps):
    life = Life()
    play(life, steps)
    life.wake()
    memory = life.field.memory()
    frame = ViewFrame(waiting=life.world.waiting())
    first = render(life.world, frame, life.now)
    assert render(life.world, frame, life.now) == first
    assert life.field.memory() == memory, 'it changes nothing'


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_a_restart_is_a_nap(steps):
    life = Life()
    play(life, steps)
    life.wake()
    memory = json.loads(json.dumps(life.field.perception.memory()))
    again = Perception(config())
    again.restore(memory)
    assert json.loads(json.dumps(again.memory())) == memory
    # and it goes on in the same way
    one, other = life.field.perception, again
    for seen in (one, other):
        seen.world.live([], life.now + 600)
        seen.hear(Energy(level=1.0), life.now)
        seen.woken(Wake(), ())
    assert other.view(life.now + 600).text == one.view(life.now + 600).text
    assert other.world.mood.valence == one.world.mood.valence


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 3e5), min_size=1, max_size=8))
def test_time_passes_the_same_in_one_step_or_many(gaps):
    def fresh():
        seen = Perception(config())
        seen.percept(Percept(key='k', source='x', text='t', salience=0.9), NOW)
        seen.world.live([], NOW)
        item = seen.world.items.by_key('k')
        seen.world.attention.choose(seen.world.items, item.id)
        seen.world.attend()
        return seen, item

    one, a = fresh()
    many, b = fresh()
    now = NOW
    for gap in gaps:
        now += gap
        many.world.live([], now)
    one.world.live([], now)
    assert abs(a.salience - b.salience) < 1e-9


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 400)), max_size=60), st.integers(200, 3000)
)
def test_capacity_always_holds(entries, limit):
    seen = Perception(config(capacity_chars=limit))
    for n, (salience, length) in enumerate(entries):
        seen.percept(Percept(key=f'k{n}', source='x', text='w' * length, salience=salience), NOW)
    seen.world.live([], NOW)
    rows = seen.world.items.rows
    focus = seen.world.attention.row(seen.world.items)
    cost = capacity.costs(rows)
    others = int(cost.sum()) - (int(cost[focus]) if focus >= 0 else 0)
    allowed = int(cost[focus]) if focus >= 0 else 0
    assert others + min(allowed, limit // 2) <= limit
    # and nothing gave way without need: the faintest survivor would not have fitted whole
    gone = capacity.fit(rows, limit, focus)
    assert not gone.any()
