"""Starts that cannot be good: she lives or refuses, in one clear line."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys

import pytest

from soul.core.interfaces import EXIT_REFUSED
from soul.mind.memory import Memory
from soul.signals import Message
from soul.store import AtomicFile
from support.graph import Inside
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e]

GRAPH = [sys.executable, '-m', 'soul.bringup', '--driver', 'none', '--ros-args']


def started(domain, home, before=None, graph=GRAPH):
    """Start the graph; returns its exit code and what it complained of."""
    ended = subprocess.run(
        [*graph, '-p', f'soul_home:={home}'],
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=before,
    )
    # the middleware needs shared memory, which the limit on files takes from it, and says so
    noise = ('[INFO]', 'RTPS_')
    lines = [line for line in ended.stderr.splitlines() if not any(mark in line for mark in noise)]
    return ended.returncode, lines


def full_disk():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


@pytest.mark.parametrize('lived', [False, True])
def test_a_full_disk_at_the_start_is_a_clear_line(domain, home, lived):
    """found 50: a traceback."""
    if lived:
        Inside(domain, home, use_mock=False, driver='none').close()
    code, lines = started(domain, home, full_disk)
    assert code in (1, EXIT_REFUSED), lines
    assert len(lines) == 1, lines
    assert str(home) in lines[0]


def test_a_locked_index_at_the_start_is_a_clear_line(domain, home):
    """found 50: a traceback."""
    home.mkdir()
    Memory(home / 'memory').close()
    other = sqlite3.connect(home / 'memory' / 'index.db', isolation_level=None)
    other.execute('PRAGMA locking_mode = EXCLUSIVE')
    other.execute('BEGIN EXCLUSIVE')
    try:
        code, lines = started(domain, home)
    finally:
        other.close()
    assert code in (1, EXIT_REFUSED), lines
    assert len(lines) == 1, lines
    assert 'index.db' in lines[0]
    assert 'somebody else holds it' in lines[0]


@pytest.mark.parametrize('name', ['field.json', 'heart.json', 'guard.json', 'mind.json'])
def test_state_that_cannot_be_read_refuses_each_start(domain, home, name):
    """found 43: the second start was a fresh, empty mind without a word."""
    home.mkdir()
    for generation in (name, f'{name}.1'):
        (home / generation).write_text('[' * 200_000)
    for _ in range(2):
        code, lines = started(domain, home)
        assert code == EXIT_REFUSED, lines
        assert len(lines) == 1, lines
        assert f'soul life begin-anew {name}' in lines[0]
    assert (home / name).exists()


#: What is whole and no memory of an organ, and where it is wrong.
FOREIGN = {
    'body.json': ({'told': 7}, 'told is 7'),
    'field.json': ({'door': [1]}, 'door is a list'),
    'heart.json': ({'n': 1}, 'life is missing'),
    'guard.json': ({'ledger': 'x'}, "ledger is 'x'"),
    'mind.json': ({'epoch': 1, 'counters': 7}, 'counters is 7'),
}
#: Runs the node alone in which an organ lives.
ALONE = 'import sys; from soul.entry import {0}; sys.exit({0}())'
NODES = {name: 'body_twin' if name == 'body.json' else name[:-5] for name in FOREIGN}


@pytest.mark.parametrize('name', FOREIGN)
@pytest.mark.parametrize('alone', [False, True], ids=['composed', 'alone'])
def test_state_of_another_shape_refuses_each_start(domain, home, name, alone):
    """found 49: what is whole and not a memory was a traceback, and launch began it for ever."""
    home.mkdir()
    data, wrong = FOREIGN[name]
    AtomicFile(home / name).write(data)
    before = (home / name).read_bytes()
    node = [sys.executable, '-c', ALONE.format(NODES[name]), '--ros-args']
    code, lines = started(domain, home, graph=node if alone else GRAPH)
    assert code == EXIT_REFUSED, lines
    assert len(lines) == 1, lines
    assert str(home / name) in lines[0]
    assert wrong in lines[0]
    assert (home / name).read_bytes() == before


def test_a_damaged_audit_refuses_each_start(domain, home):
    """found 43: a damaged page of guard.db was a crash at each start."""
    home.mkdir()
    (home / 'guard.db').write_bytes(b'no database at all' * 1000)
    for _ in range(2):
        code, lines = started(domain, home)
        assert code == EXIT_REFUSED, lines
        assert len(lines) == 1, lines
        assert 'soul life begin-anew guard.db' in lines[0]


def test_removed_sessions_are_made_anew(domain, home, witness):
    """found 50: sessions/ removed before her first turn left her mute."""
    graph = Inside(domain, home, use_mock=False, driver='none')
    try:
        witness.wait_awake(body=False)
        shutil.rmtree(home / 'sessions')
        posted = witness.post(Message(sender='ann', text='hello'))
        witness.wait('door/reply', lambda r: r.in_reply_to == posted.id and r.is_final)
        wait_until(lambda: (home / 'sessions' / 'life.jsonl').exists())
    finally:
        graph.close()
