"""What cannot be read is refused until a person decides; what is odd costs only itself."""

import json

import pytest
from click.testing import CliRunner

from soul.backup.begin_anew import OWNERS
from soul.cli.main import app
from soul.core.keeper import Keeper
from soul.field.config import FieldConfig
from soul.field.field import Field
from soul.store import AtomicFile, Home, InstanceLock, Journal, Unreadable
from soul.text.stamps import local, stamp, take_stamp

DEEP = '[' * 200_000
NUMBER = '9' * 10_000


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def written(path, count=3):
    file = AtomicFile(path)
    for number in range(count):
        file.write({'n': number})
    return path


def test_it_refuses_at_every_start_and_nothing_is_renamed(tmp_path):
    """found 43: the second start was a fresh, empty mind without a word."""
    path = written(tmp_path / 'field.json')
    for one in tmp_path.iterdir():
        one.write_bytes(b'broken')
    before = files(tmp_path)
    for _ in range(3):
        with pytest.raises(Unreadable, match=r'soul life begin-anew field\.json'):
            AtomicFile(path).read()
    assert files(tmp_path) == before


@pytest.mark.parametrize('aside', ['field.json.corrupt', 'field.json.1.corrupt2'])
def test_what_was_set_aside_before_is_no_leave_to_begin_anew(tmp_path, aside):
    """found 43: a home that an earlier start has left without its state."""
    (tmp_path / aside).write_bytes(b'broken')
    with pytest.raises(Unreadable, match='set aside'):
        AtomicFile(tmp_path / 'field.json').read()
    assert AtomicFile(tmp_path / 'heart.json').read() is None, 'a first life is one'


@pytest.mark.parametrize('text', [DEEP, '{"data":' + DEEP, '{"data": ' + NUMBER + '}', ''])
def test_whatever_the_newest_holds_the_older_one_is_used(tmp_path, text):
    """found 43: 200,000 brackets were a traceback, and two good generations stayed unused."""
    path = written(tmp_path / 'field.json')
    path.write_text(text)
    file = AtomicFile(path)
    assert file.read() == {'n': 1}
    assert 'field.json' in file.anomalies[0]
    for one in tmp_path.glob('field.json*'):
        one.write_text(text)
    with pytest.raises(Unreadable):
        AtomicFile(path).read()


def test_a_person_decides_and_nothing_is_lost(tmp_path):
    """found 43: the way on is a command that says where everything lies."""
    home = Home(tmp_path / 'home')
    home.ensure()
    for name in OWNERS:
        (home.path / name).write_bytes(b'broken')
    (home.path / 'field.json.1').write_bytes(b'broken, too')
    (home.path / 'guard.db-wal').write_bytes(b'')
    (home.path / 'field.json5').write_bytes(b'a file of somebody')
    before = files(home.path)
    for name in OWNERS:
        result = CliRunner().invoke(app, ['life', 'begin-anew', name, '--home', str(home)])
        assert result.exit_code == 0, result.output
    moved = {p.name: p.read_bytes() for p in (home.path / 'set-aside').glob('*/*')}
    assert {**moved, **files(home.path)} == before
    assert list(files(home.path)) == ['field.json5']
    assert AtomicFile(home.path / 'field.json').read() is None


def test_only_of_what_is_there_is_hers_and_does_not_live(tmp_path):
    """found 43: no decision over a living organ, and none over anything else."""

    def decide(name):
        result = CliRunner().invoke(
            app, ['life', 'begin-anew', name, '--home', str(home)], env={'COLUMNS': '300'}
        )
        assert result.exit_code == 1
        return result.output

    home = Home(tmp_path / 'home')
    home.ensure()
    (home.path / 'door.jsonl').touch()
    assert 'no state file' in decide('door.jsonl')
    assert 'no state file' in decide('../x')
    assert 'begins anew by itself' in decide('heart.json')
    (home.path / 'heart.json').touch()
    lock = InstanceLock(home.run / 'heart.lock', 'her').acquire()
    assert 'already runs' in decide('heart.json')
    lock.release()


ODD = [
    {'kind': 'message'},
    {'kind': 'message', 'message': 5},
    {'kind': 'message', 'message': {'id': 'x', 'text': 5}},
    {'kind': 'message', 'message': {'id': ['x']}},
    {'kind': 'message', 'message': {'id': 'x', 'flavour': 'sour'}},
    {'kind': 'message', 'message': {'text': 'without an id'}},
    {'kind': 'seen'},
    {'kind': 'seen', 'ids': 5},
    {'kind': 'seen', 'ids': [[]]},
    {'kind': 'reply'},
    {'kind': 'reply', 'reply': []},
    {'kind': 'reply', 'reply': {'in_reply_to': {}}},
]


@pytest.mark.parametrize('odd', ODD, ids=range(len(ODD)))
def test_one_odd_line_of_the_door_costs_that_line(tmp_path, odd):
    """found 49: one odd line kept her from starting and blamed field.json."""
    home = Home(tmp_path / 'home')
    home.ensure()
    good = {'kind': 'message', 'message': {'id': 'm1', 'text': 'hello', 'sender': 'Ann'}}
    lines = [good, odd, {**good, 'message': {**good['message'], 'id': 'm2'}}]
    text = ''.join(json.dumps(line) + '\n' for line in lines)
    (home.path / 'door.jsonl').write_text(text)
    keeper = Keeper(home, 'field', Field.memory_file, Field.journals, unfit=Field.unfit)
    field = Field(FieldConfig(embedder='hash'), keeper.load(), keeper.past())
    assert [message.id for message in field.door.messages] == ['m1', 'm2']
    (anomaly,) = keeper.anomalies
    assert f'{home.path}/door.jsonl' in anomaly
    assert 'line 2' in anomaly
    assert (home.path / 'door.jsonl').read_text() == text, 'nothing of it is lost'
    keeper.close()


@pytest.mark.parametrize(
    'odd', [{'tick': 'x'}, {'tick': 1, 'wake': 5}, {'tick': 1, 'wake': [1]}, {'tick': None}]
)
def test_one_odd_tick_costs_that_tick(tmp_path, odd):
    """found 49: the same for what she saw."""
    home = Home(tmp_path / 'home')
    home.ensure()
    lines = [{'tick': 7, 'wake': [1, 3]}, odd]
    (home.path / 'ticks.jsonl').write_text(''.join(json.dumps(line) + '\n' for line in lines))
    keeper = Keeper(home, 'field', Field.memory_file, Field.journals, unfit=Field.unfit)
    field = Field(FieldConfig(embedder='hash'), keeper.load(), keeper.past())
    assert field.world.tick == 7
    assert 'line 2' in keeper.anomalies[0]
    keeper.close()


@pytest.mark.parametrize('line', [DEEP, NUMBER, 'x', '"text"', '{"a": ' + DEEP])
def test_a_line_that_is_no_entry_is_named_by_its_number(tmp_path, line):
    """found 49: a line nested too deeply, or an endless number, was a traceback."""
    path = tmp_path / 'a.jsonl'
    entries = ''.join(f'{{"n": {number}}}\n' for number in range(50_000))
    path.write_text(f'{entries}{line}\n{{"n": -1}}\n')
    journal = Journal(path)
    found = list(journal.entries(500_000))
    assert found[-1] == {'n': -1}
    assert journal.anomalies == [f'{path}: passed over line 50001 (unreadable: no JSON object)']


@pytest.mark.parametrize(
    'text',
    [
        '9999-12-31 23:59-12:00',
        '9999-12-31 23:59Z',
        '0001-01-01 00:00+14:00',
        '0001-01-01',
        '9999-12-31',
    ],
)
def test_a_date_at_the_edge_of_time_is_no_date(text):
    """found 49: with such a heading every turn failed."""
    assert take_stamp(f'{text} at the end') == (None, f'{text} at the end')


@pytest.mark.parametrize('now', [1e300, -1e300, float('inf'), float('nan'), 253402300799.9])
def test_any_time_can_be_written(now):
    """found 49: a time that no calendar has is shown as the edge of the calendar."""
    assert local(now).year in (1, 1970, 9999)
    assert stamp(now)
