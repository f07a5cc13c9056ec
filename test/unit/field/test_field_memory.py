"""What survives; what cannot be read never becomes an empty mind."""

import copy
import json
import re

import pytest

from soul.core.keeper import Keeper
from soul.core.state_file import Shape, ShapeRefused
from soul.field.field import Field
from soul.field.memory import FieldMemory
from soul.signals import AttendAction
from soul.store import AtomicFile, Unreadable
from soul.store.home import Home
from support.memories import plain, reread
from support.worlds.field import NOW, Life, config


def full():
    life = Life()
    life.attend(AttendAction.NOTE, text='the whales sing')
    note = next(i for i in life.world.items if i.kind == 'note')
    life.attend(AttendAction.HOLD, item=note.id)
    life.attend(AttendAction.EXPECT, text='rain', channel='weather', within=36000.0)
    life.attend(AttendAction.FOCUS, text='whales')
    life.post('hello', 'ann')
    life.wake()
    life.end('diary', seen=[])
    life.later(600).wake()
    return life


def test_everything_comes_back():
    life = full()
    memory = reread(life.field.memory())
    again = Field(config(), memory)
    assert again.memory() == memory == life.field.memory()
    assert again.world.tick == 2
    assert again.world.attention.gaze == life.world.attention.gaze
    assert [i.id for i in again.world.items] == [i.id for i in life.world.items]
    assert again.world.prediction.beliefs.get('time.gap').n == 1


def test_new_ids_never_meet_old_ones():
    life = full().again()
    before = {i.id for i in life.world.items}
    life.attend(AttendAction.NOTE, text='new')
    after = [i.id for i in life.world.items]
    assert len(set(after)) == len(after) == len(before) + 1


def damaged():
    memory = plain(full().field.memory())

    def without(*path):
        changed = copy.deepcopy(memory)
        at = changed
        for key in path[:-1]:
            at = at[key]
        del at[path[-1]]
        return changed

    def with_(value, *path):
        changed = copy.deepcopy(memory)
        at = changed
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        return changed

    yield without('world', 'items')
    yield without('world', 'attention')
    yield without('world', 'items', 0, 'text')
    yield without('world', 'prediction', 'beliefs')
    yield with_('much', 'world', 'items', 0, 'salience')
    yield with_(None, 'world', 'items')
    yield with_([1, 2], 'world', 'mood')
    yield with_('x', 'world', 'tick')
    yield with_({'time.gap': [1]}, 'world', 'prediction', 'beliefs')
    yield without('channels', 'body', 'habit')


WRONG = [
    'world.items is missing',
    'world.attention is missing',
    'world.items.0.text is missing',
    'world.prediction.beliefs is missing',
    "world.items.0.salience is 'much'",
    'world.items is None',
    'world.mood is a list',
    "world.tick is 'x'",
    'world.prediction.beliefs.time.gap.1 is missing',
    'channels.body.habit is missing',
]


CASES = list(zip(damaged(), WRONG, strict=True))


@pytest.mark.parametrize(('memory', 'wrong'), CASES, ids=range(10))
def test_a_memory_that_is_none_is_refused(memory, wrong):
    with pytest.raises(ShapeRefused, match=re.escape(wrong)):
        Shape(FieldMemory).read(memory)


def keeper_of(home):
    return Keeper(home, 'field', Field.memory_file, Field.journals, memory_type=Field.memory_type)


def test_a_damaged_file_is_an_older_field_and_never_an_empty_one(tmp_path):
    life = full()
    home = Home(tmp_path / 'home')
    keeper = keeper_of(home)
    keeper.save(life.field.memory())
    life.attend(AttendAction.NOTE, text='something newer')
    keeper.save(life.field.memory())
    keeper.close()
    path = home.path / 'field.json'
    path.write_bytes(path.read_bytes()[:100])
    keeper = keeper_of(home)
    again = Field(config(), keeper.load(), keeper.past())
    assert keeper.anomalies
    assert any(i.text == 'the whales sing' for i in again.world.items)
    keeper.close()
    for file in home.path.glob('field.json*'):
        file.write_bytes(b'\0' * 100)
    with pytest.raises(Unreadable):
        AtomicFile(path).read()


def test_a_memory_from_before_has_its_messages():
    """The first fields kept only the door; what was posted then is not lost."""
    life = Life()
    life.post('hello', 'ann')
    door = plain(life.field.memory())['door']
    memory = {'door': door, 'tick': 7, 'wake': [1, 3], 'turn': [1, 2]}
    again = Life(NOW, Shape(FieldMemory).read(memory))
    assert again.world.tick == 7
    assert again.view.messages[0].text == 'hello'


def test_what_cannot_be_there_any_more_is_no_harm():
    """Beliefs of a feature that is no longer declared, a channel that is gone."""
    life = full()
    memory = plain(life.field.memory())
    memory['channels']['nose'] = {'smell': 1}
    memory['world']['prediction']['beliefs']['gone.feature'] = [3, 1.0, 0.5]
    again = Field(config(channels=('time', 'door')), Shape(FieldMemory).read(memory))
    assert again.world.prediction.beliefs.get('gone.feature').n == 3


def test_the_journals_tell_her_days():
    life = full()
    assert [r['kind'] for r in life.records('events')].count('wake') == 2
    ticks = life.records('ticks')
    assert [t['tick'] for t in ticks] == [1, 2]
    assert ticks[1]['text'] == life.text
    json.dumps(life.records('events') + ticks)
