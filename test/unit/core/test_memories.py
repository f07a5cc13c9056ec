"""Each organ's memory is one type: older files open whole, what is something else is refused."""

import json
import math
import random
import shutil
from pathlib import Path

import pytest

from soul.body.config import BodyConfig
from soul.body.make import make as make_body
from soul.body.memory import BodyMemory
from soul.body.twin import BodyTwin
from soul.core.context import OrganContext
from soul.core.keeper import Keeper
from soul.core.state_file import Shape, StateFile
from soul.field.config import FieldConfig
from soul.field.field import Field
from soul.field.make import make as make_field
from soul.guard.config import GuardConfig
from soul.guard.guard import Guard
from soul.guard.make import make as make_guard
from soul.heart.config import HeartConfig
from soul.heart.heart import Heart
from soul.heart.make import make as make_heart
from soul.heart.memory import FeltTurn, HeartMemory, Nudge
from soul.mind.mind_memory import mind_file
from soul.store import AtomicFile, Home, Unreadable
from support.memories import plain, reread

#: Files as the first version wrote them, which had no types and no number of a shape.
BEFORE = Path(__file__).parents[1] / 'data' / 'memory_untyped'

ORGANS = {
    'body.json': (BodyTwin, BodyConfig(), make_body),
    'heart.json': (Heart, HeartConfig(timezone='UTC'), make_heart),
    'field.json': (Field, FieldConfig(timezone='UTC', embedder='hash'), make_field),
    'guard.json': (Guard, GuardConfig(timezone='UTC'), make_guard),
}
FILES = [
    ('body.json', 'body.json'),
    ('heart.json', 'heart.json'),
    ('heart_open_wake.json', 'heart.json'),
    ('field.json', 'field.json'),
    ('field_full.json', 'field.json'),
    ('guard.json', 'guard.json'),
]


@pytest.fixture
def live(home):
    """Make organs from what lies in the home, as whoever wires organs does."""
    closers = []

    def made(name):
        organ, config, make = ORGANS[name]
        where = Home(home)
        keeper = Keeper(where, name.removesuffix('.json'), name, memory_type=organ.memory_type)
        closers.append(keeper.close)
        birth = OrganContext(
            config=config,
            home=where,
            clock=lambda: 1.0,
            rng=random.Random(1),
            memory=keeper.load(),
            past={},
            inject=lambda work: None,
            on_close=closers.append,
        )
        return make(birth)

    yield made
    for close in reversed(closers):
        close()


def kept(file):
    return json.loads((BEFORE / file).read_bytes())['data']


def bare(values):
    """Return a memory without what says that there is nothing."""
    if isinstance(values, dict):
        return {name: bare(v) for name, v in values.items() if v not in (None, {})}
    return [bare(v) for v in values] if isinstance(values, list) else values


@pytest.mark.parametrize(('file', 'name'), FILES)
def test_a_file_of_the_version_before_opens_without_loss(home, live, file, name):
    Home(home).ensure()
    shutil.copy(BEFORE / file, home / name)
    organ = live(name)
    again = plain(organ.memory())
    assert again.pop('schema') == 1
    before = kept(file)
    if name == 'guard.json':  # months are counted since
        assert (again['ledger'].pop('month'), again['ledger'].pop('month_cost')) == ('', 0.0)
        assert again.pop('audited') == 0
        again.pop('audit_digest')
    if name == 'heart.json':  # what held her down is known anew once the others speak
        again['held'] = before['held']
    if (
        name == 'field.json'
    ):  # deeds with her attention are counted since; everything is laid out anew around her focus
        assert again.pop('attended') == 0
        for item in [*again['world']['items'], *before['world']['items']]:
            item.pop('ring')
    assert bare(again) == bare(before)
    assert reread(organ.memory()) == organ.memory()


def test_the_mind_of_the_version_before_opens_without_loss(tmp_path):
    shutil.copy(BEFORE / 'mind.json', tmp_path)
    file = mind_file(tmp_path / 'mind.json')
    before = file.read()
    again = plain(before)
    assert again.pop('schema') == 1
    assert bare(again) == bare(kept('mind.json'))
    file.write(before)
    assert file.read() == before


def test_older_shapes_of_parts_are_understood():
    """Nudges were texts before it mattered who nudges."""
    before = {**kept('heart_open_wake.json')}
    before['callers'] = {'nudges': ['the moon', ['the sea', True]]}
    callers = Shape(HeartMemory).read(before).callers
    assert callers.nudges == ('the moon', Nudge('the sea', True))


def test_what_is_read_is_of_the_types_that_it_says():
    memory = Shape(HeartMemory).read(kept('heart.json'))
    first = memory.turns.entries[0]
    assert isinstance(first, FeltTurn)
    assert first.decided == ('curiosity',)
    with pytest.raises(AttributeError):
        memory.held = (0.0, 0.0)


FOREIGN = {'n': 1, 'life': 'x', 'ledger': 5, 'door': [1], 'told': 7, 'counters': math.pi}
WRONG = {
    'body.json': 'told is 7: Input should be a valid dictionary',
    'heart.json': "life is 'x': ",
    'field.json': 'door is a list: ',
    'guard.json': 'ledger is 5: ',
}


@pytest.mark.parametrize('name', ORGANS)
def test_another_shape_is_one_line_that_names_file_place_and_value(home, live, name):
    """found 49: what is whole by its checksum and not a memory was a traceback."""
    AtomicFile(Home(home).ensure().path / name).write(FOREIGN)
    with pytest.raises(Unreadable) as refused:
        live(name)
    told = str(refused.value)
    assert str(home / name) in told
    assert WRONG[name] in told
    assert '\n' not in told
    assert len(told) < 700


@pytest.mark.parametrize('name', ORGANS)
def test_an_empty_table_is_no_first_life(home, live, name):
    AtomicFile(Home(home).ensure().path / name).write({})
    with pytest.raises(Unreadable, match='is missing'):
        live(name)


@pytest.mark.parametrize('name', ORGANS)
def test_what_a_later_version_wrote_is_refused(home, live, name):
    where = Home(home).ensure().path / name
    data = json.loads((BEFORE / name).read_bytes())['data']
    AtomicFile(where).write({**data, 'schema': 2})
    with pytest.raises(Unreadable, match='a later version wrote it, in schema 2; this version'):
        live(name)
    assert AtomicFile(where).read()['schema'] == 2, 'nothing of it is changed'


@pytest.mark.parametrize(
    ('change', 'wrong'),
    [
        ({'counters': 5}, 'counters is 5'),
        ({'dealt': [['m1']]}, 'dealt.0.1 is missing'),
        ({'shares': [{'text': 'hello'}]}, 'shares.0.since is missing'),
        ({'last_turn': {'sequence': -1}}, 'last_turn is no turn'),
        ({'schema': 3}, 'schema 3'),
    ],
)
def test_a_mind_of_another_shape_is_one_line(tmp_path, change, wrong):
    file = AtomicFile(tmp_path / 'mind.json')
    file.write({**kept('mind.json'), **change})
    with pytest.raises(Unreadable, match=r'mind\.json cannot be read') as refused:
        mind_file(file.path).read()
    assert wrong in str(refused.value)


def test_hostile_values_are_shown_shortly(tmp_path):
    AtomicFile(tmp_path / 'body.json').write({'told': {'\x1b[2J' * 50: 'x' * 10**6}, 'bands': {}})
    with pytest.raises(Unreadable) as refused:
        StateFile(tmp_path / 'body.json', BodyMemory).read()
    assert '\x1b' not in str(refused.value)
    assert len(str(refused.value)) < 1000


def test_of_many_wrong_places_a_few_are_named(tmp_path):
    told = {f'sense{n}': 'x' for n in range(1000)}
    AtomicFile(tmp_path / 'body.json').write({'told': told})
    with pytest.raises(Unreadable, match='and 997 more'):
        StateFile(tmp_path / 'body.json', BodyMemory).read()


def test_what_an_organ_remembers_does_not_change_afterwards(live, home):
    """Whether anything is to be written is found by comparing with what was written."""
    Home(home).ensure()
    for file, name in FILES:
        shutil.copy(BEFORE / file, home / name)
    for name in ORGANS:
        organ = live(name)
        before = organ.memory()
        first = plain(before)
        list(organ.start(1_800_000_000.0))
        list(organ.step(1_800_003_600.0))
        assert plain(before) == first, name
