"""Her files survive whatever happens to the process and the disk."""

import json
import os
import queue
import random
import shutil
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.core.keeper import Keeper
from soul.store import AtomicFile, Home, HomeInUse, InstanceLock, Journal, Unreadable
from soul.store.stop_file import StopFile
from soul.store.text import append_text, replace_text


def test_a_state_file_gives_back_what_was_written(tmp_path):
    file = AtomicFile(tmp_path / 'x.json')
    assert file.read() is None
    for n in range(5):
        file.write({'n': n, 'text': '你好 \ud800'})
    again = AtomicFile(tmp_path / 'x.json')
    assert again.read() == {'n': 4, 'text': '你好 \ud800'}
    assert again.anomalies == []
    assert {p.name for p in tmp_path.iterdir()} == {'x.json', 'x.json.1', 'x.json.2'}


@pytest.mark.parametrize('damage', [b'', b'{"data"', b'\0' * 50, b'[]', b'{"schema": 1}'])
def test_a_damaged_newest_generation_gives_way_to_the_one_before(tmp_path, damage):
    path = tmp_path / 'x.json'
    file = AtomicFile(path)
    file.write({'n': 1})
    file.write({'n': 2})
    path.write_bytes(damage)
    again = AtomicFile(path)
    assert again.read() == {'n': 1}
    assert len(again.anomalies) == 1
    assert 'x.json' in again.anomalies[0]
    assert (tmp_path / 'x.json.corrupt').read_bytes() == damage, 'it is kept for people'
    again.write({'n': 3})
    assert AtomicFile(path).read() == {'n': 3}


def test_a_changed_value_does_not_pass_the_checksum(tmp_path):
    path = tmp_path / 'x.json'
    AtomicFile(path).write({'mood': 'bright'})
    path.write_text(path.read_text().replace('bright', 'heavy'))
    with pytest.raises(Unreadable, match='checksum'):
        AtomicFile(path).read()


def test_when_nothing_is_readable_it_says_so_and_never_begins_empty(tmp_path):
    path = tmp_path / 'x.json'
    path.write_text('?')
    (tmp_path / 'x.json.1').write_text('?')
    with pytest.raises(Unreadable) as caught:
        AtomicFile(path).read()
    assert str(path) in str(caught.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ['x.json', 'x.json.1']


WRITER = """
import sys
from pathlib import Path
from soul.store import AtomicFile, Journal
file, journal = AtomicFile(Path(sys.argv[1]) / 'x.json'), Journal(Path(sys.argv[1]) / 'j.jsonl')
n = (file.read() or {'n': 0})['n']
while True:
    n += 1
    journal.append({'n': n}, durable=n % 7 == 0)
    file.write({'n': n, 'filling': 'x' * (n % 5000)})
    print(n, flush=True)
"""


def test_kill_at_any_moment_loses_nothing_acknowledged(tmp_path):
    rng = random.Random(3)
    for _ in range(12):
        child = subprocess.Popen(
            [sys.executable, '-c', WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        acknowledged = 0
        for _ in range(rng.randrange(1, 40)):
            acknowledged = int(child.stdout.readline())
        child.kill()
        child.wait()
        rest = child.stdout.read().split()
        acknowledged = int(rest[-1]) if rest else acknowledged
        child.stdout.close()
        file = AtomicFile(tmp_path / 'x.json')
        assert file.read()['n'] in (acknowledged, acknowledged + 1)
        assert file.anomalies == []
        entries = [e['n'] for e in Journal(tmp_path / 'j.jsonl').entries()]
        assert acknowledged in entries
        assert entries == sorted(entries)


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers()), max_size=8), st.data())
def test_a_journal_cut_anywhere_keeps_every_whole_entry(tmp_path_factory, entries, data):
    path = tmp_path_factory.mktemp('j') / 'j.jsonl'
    journal = Journal(path)
    ends = []
    for entry in entries:
        journal.append(entry, durable=False)
        ends.append(path.stat().st_size)
    journal.close()
    size = ends[-1] if ends else 0
    cut = data.draw(st.integers(0, size))
    if entries:
        os.truncate(path, cut)
    again = Journal(path)
    again.append({'after': 1}, durable=False)
    again.close()
    read = list(Journal(path).entries())
    whole = sum(end <= cut for end in ends)
    # an entry cut just before its newline is whole, too
    assert read[-1] == {'after': 1}
    assert read[:-1] in (entries[:whole], entries[: whole + 1])


def test_nul_blocks_and_torn_lines_in_the_middle_are_skipped_and_told(tmp_path):
    path = tmp_path / 'j.jsonl'
    path.write_bytes(b'{"n":1}\n' + b'\0' * 512 + b'{"n":2}\n{"n":\n\0\0\0\n{"n":3}\n{"n":4')
    journal = Journal(path)
    assert [e['n'] for e in journal.entries()] == [1, 2, 3]
    assert any('torn' in a for a in journal.anomalies)
    assert any('unreadable' in a for a in journal.anomalies)
    journal.append({'n': 5})
    assert [e['n'] for e in Journal(path).entries()] == [1, 2, 3, 5]
    assert (tmp_path / 'j.jsonl.torn').read_bytes() == b'{"n":4\n'


def test_a_journal_rotates_and_its_start_is_bounded(tmp_path):
    journal = Journal(tmp_path / 'j.jsonl', rotate_bytes=2000, keep=3)
    for n in range(2000):
        journal.append({'n': n}, durable=False)
    files = sorted(p.name for p in tmp_path.iterdir())
    assert set(files) <= {'j.jsonl', 'j.1.jsonl', 'j.2.jsonl', 'j.3.jsonl'}
    newest = [e['n'] for e in journal.entries(newest_bytes=1500)]
    assert newest == list(range(newest[0], 2000)), 'the newest part, in order, without a gap'
    assert 50 < len(newest) < 400


def test_a_full_disk_leaves_the_journal_whole(tmp_path, monkeypatch):
    journal = Journal(tmp_path / 'j.jsonl')
    journal.append({'n': 1})

    def full(descriptor):
        raise OSError(28, 'No space left on device')

    with monkeypatch.context() as patch:
        patch.setattr(os, 'fdatasync', full)
        with pytest.raises(OSError, match='No space'):
            journal.append({'n': 2})
    journal.append({'n': 3})
    assert [e['n'] for e in Journal(tmp_path / 'j.jsonl').entries()] == [1, 3]


def test_a_second_instance_is_refused_and_told_who_is_there(tmp_path):
    home = Home(tmp_path).ensure()
    first = InstanceLock(home.run / 'heart.lock', '/soul/heart').acquire()
    with pytest.raises(HomeInUse) as caught:
        InstanceLock(home.run / 'heart.lock', '/other/heart').acquire()
    text = str(caught.value)
    assert str(os.getpid()) in text
    assert '/soul/heart' in text
    assert str(tmp_path) in text
    first.release()
    InstanceLock(home.run / 'heart.lock', '/other/heart').acquire().release()


def test_a_killed_holder_holds_nothing(tmp_path):
    code = (
        'import sys, time; from soul.store import Home, InstanceLock; '
        'h = Home(sys.argv[1]).ensure(); l = InstanceLock(h.run / "x.lock", "x").acquire(); '
        'print("held", flush=True); time.sleep(60)'
    )
    child = subprocess.Popen(
        [sys.executable, '-c', code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline().strip() == 'held'
    with pytest.raises(HomeInUse):
        InstanceLock(tmp_path / 'run' / 'x.lock', 'y').acquire()
    child.kill()
    child.wait()
    child.stdout.close()
    InstanceLock(tmp_path / 'run' / 'x.lock', 'y').acquire().release()


def test_the_home_is_the_option_the_variable_or_the_default(monkeypatch, tmp_path):
    monkeypatch.setenv('SOUL_HOME', str(tmp_path / 'a'))
    assert Home().path == tmp_path / 'a'
    assert Home(tmp_path / 'b').path == tmp_path / 'b'
    monkeypatch.delenv('SOUL_HOME')
    monkeypatch.setenv('HOME', str(tmp_path))
    assert Home().path == tmp_path / '.soul'
    assert Home().ensure().path.stat().st_mode & 0o077 == 0, 'nobody else reads her life'


def test_a_keeper_without_a_home_keeps_nothing():
    keeper = Keeper(None, 'heart', 'heart.json', ('a',))
    keeper.save({'x': 1})
    keeper.record('a', {'x': 1}, True)
    assert keeper.load() is None
    assert keeper.past() == {}
    assert keeper.anomalies == []


def test_texts_are_replaced_whole_and_appended_with_their_heading_once(tmp_path):
    path = tmp_path / 'soul' / 'DIARY.md'
    append_text(path, 'one\n', heading='# Diary\n')
    append_text(path, 'two\n', heading='# Diary\n')
    assert path.read_text() == '# Diary\none\ntwo\n'
    replace_text(path, 'new \ud800\n')
    assert path.read_text() == 'new ?\n'
    assert [p.name for p in path.parent.iterdir()] == ['DIARY.md']


def test_state_files_are_plain_json(tmp_path):
    AtomicFile(tmp_path / 'x.json').write({'a': 1})
    assert json.loads((tmp_path / 'x.json').read_text())['data'] == {'a': 1}


def in_little_room(script, *arguments, size=200):
    """Run a script whose files cannot grow beyond `size` bytes, as on a disk almost full."""
    head = (
        'import json, resource, sys\n'
        'from pathlib import Path\n'
        'from soul.store import *\n'
        'from soul.core.keeper import Keeper\n'
        'from soul.store.text import append_text\n'
        'def room(size):\n'
        '    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))\n'
        f'room({size})\n'
    )
    ended = subprocess.run(
        [sys.executable, '-c', head + script, *map(str, arguments)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_part_of_an_entry_is_no_entry(tmp_path):
    """A disk with room for a part of a line takes it and complains only of the next one."""
    path = tmp_path / 'j.jsonl'
    said = in_little_room(
        """
journal = Journal(Path(sys.argv[1]))
for n in range(20):
    try:
        journal.append({'n': n, 'text': 'x' * 30}, durable=False)
    except OSError as error:
        print(n, error.filename)
        break
room(resource.RLIM_INFINITY)
journal.append({'n': 'last'})
""",
        path,
    )
    number, name = said.split()
    assert name == str(path)
    again = Journal(path)
    assert [e['n'] for e in again.entries()] == [*range(int(number)), 'last']
    assert again.anomalies == []


def test_a_part_of_a_page_is_no_page(tmp_path):
    path = tmp_path / 'DIARY.md'
    in_little_room(
        """
path = Path(sys.argv[1])
append_text(path, 'one. ' * 20)
try:
    append_text(path, 'two. ' * 100)
except OSError as error:
    assert error.filename == str(path), error
else:
    raise SystemExit('a part was taken for the whole')
""",
        path,
    )
    assert path.read_text() == 'one. ' * 20


def test_a_state_that_has_no_room_leaves_the_old_one_and_takes_no_room(tmp_path):
    path = tmp_path / 'x.json'
    in_little_room(
        """
file = AtomicFile(Path(sys.argv[1]))
file.write({'n': 1})
try:
    file.write({'n': 2, 'text': 'x' * 500})
except OSError as error:
    assert str(Path(sys.argv[1]).parent) in error.filename, error
room(resource.RLIM_INFINITY)
file.write({'n': 3})
""",
        path,
    )
    assert AtomicFile(path).read() == {'n': 3}
    assert {p.name for p in tmp_path.iterdir()} == {'x.json', 'x.json.1'}


def test_entries_that_nobody_waits_for_are_owed_in_their_order(tmp_path):
    said = in_little_room(
        """
keeper = Keeper(Home(sys.argv[1]), 'toy', journals=('j',))
room(0)
keeper.record('j', {'n': 1}, durable=False)
keeper.record('j', {'n': 2}, durable=False)
assert 'j.jsonl' in keeper.trouble, keeper.trouble
try:
    keeper.record('j', {'n': 'refused'}, durable=True)
except OSError:
    pass
else:
    raise SystemExit('accepted and not on the disk')
room(resource.RLIM_INFINITY)
keeper.record('j', {'n': 3}, durable=True)
assert not keeper.trouble
print([e['n'] for e in keeper.past()['j']])
""",
        tmp_path / 'home',
        size=5000,
    )
    assert json.loads(said) == [1, 2, 3]


@pytest.mark.parametrize('how', ['deleted', 'moved', 'replaced'])
def test_a_home_that_vanishes_is_made_anew_and_said(tmp_path, how):
    home = tmp_path / 'home'
    keeper = Keeper(Home(home), 'toy', 'toy.json', ('j',))
    keeper.record('j', {'n': 1}, True)
    keeper.save({'n': 1})
    if how == 'deleted':
        shutil.rmtree(home)
    else:
        home.rename(tmp_path / 'away')
        if how == 'replaced':
            home.mkdir()
            (home / 'j.jsonl').write_text('')
    assert keeper.anomalies == []
    keeper.record('j', {'n': 2}, True)
    keeper.save({'n': 2})
    assert [e['n'] for e in Journal(home / 'j.jsonl').entries()] == [2]
    assert AtomicFile(home / 'toy.json').read() == {'n': 2}
    assert 'vanished' in keeper.anomalies[0]
    keeper.close()


def test_a_state_alone_notices_that_its_directory_vanished(tmp_path):
    keeper = Keeper(Home(tmp_path / 'home'), 'toy', 'toy.json')
    shutil.rmtree(tmp_path / 'home')
    keeper.save({'n': 2})
    assert AtomicFile(tmp_path / 'home' / 'toy.json').read() == {'n': 2}
    assert 'vanished' in keeper.anomalies[0]
    keeper.close()


@pytest.mark.parametrize('how', ['deleted', 'moved'])
def test_a_stop_is_possible_also_after_the_home_has_vanished(tmp_path, how):
    home = tmp_path / 'home'
    home.mkdir()
    stop_file = StopFile(home / 'STOP')
    told = queue.SimpleQueue()
    stop_file.watch(told.put)
    try:
        (home / 'STOP').write_text('one')
        while told.get(timeout=10) != 'one':
            pass
        if how == 'deleted':
            shutil.rmtree(home)
        else:
            home.rename(tmp_path / 'away')
        assert told.get(timeout=10) is None
        deadline = time.monotonic() + 10.0
        while not home.is_dir():  # it is made again a moment after the file is seen to be gone
            assert time.monotonic() < deadline
        (home / 'STOP').write_text('two')
        while told.get(timeout=10) != 'two':
            pass
    finally:
        stop_file.close()
