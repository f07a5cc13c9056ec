"""The `soul` command over the socket of her home: with the organs apart, and what can happen."""

import contextlib
import os
import signal
import subprocess
import sys
import threading

import pytest

from soul import graph as table
from soul.store.home import Home
from soul.terminal import place
from soul.terminal.client import NoSocket, SocketLink
from support.graph import Inside, Process, organ_command
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e]


@pytest.fixture
def soul(domain):
    """Run a command; returns its exit code and all it printed, on one line."""

    def run(*arguments, given=''):
        done = subprocess.run(
            [sys.executable, '-m', 'soul.cli.main', *(str(a) for a in arguments)],
            env={**os.environ, 'ROS_DOMAIN_ID': str(domain), 'NO_COLOR': '1'},
            input=given, capture_output=True, text=True, timeout=90,
        )  # fmt: skip
        return done.returncode, ' '.join((done.stdout + done.stderr).split())

    return run


def server_of(home):
    """The process that greets at the socket of a home; None: nobody does."""
    for path in place.candidates(Home(home)):
        with contextlib.suppress(NoSocket):
            link = SocketLink(path)
            link.close()
            return link.greeting.pid
    return None


@pytest.fixture
def apart(domain, home):
    """Every organ a process of its own."""
    processes = {
        entry.name: Process(organ_command(entry), domain, home, **table.parameters(entry, True))
        for entry in table.entries()
    }
    yield processes
    for process in processes.values():
        process.kill()


@pytest.mark.long
def test_the_guard_serves_it_where_the_organs_are_apart(apart, domain, home, witness, soul):
    witness.wait_awake(60)
    wait_until(lambda: server_of(home))
    guard = apart['guard']
    assert server_of(home) == guard.process.pid
    code, told = soul('talk', '--name', 'ann', '--home', home, given='are you there?\n')
    assert code == 0, told
    assert 'You said: are you there?' in told
    assert soul('say', 'good morning') == (0, 'done')
    code, told = soul('status')
    assert code == 0
    for word in ('mind idle', 'heart', 'guard watching', 'over serial', 'what she sees'):
        assert word in told
    # it dies while a terminal waits for an answer: who waits is told what to do
    assert soul('stop')[0] == 0
    outcome = []
    waiting = threading.Thread(
        target=lambda: outcome.append(soul('talk', given='hello?\n')), daemon=True
    )
    posted = len(witness.of('door/knock'))
    waiting.start()
    wait_until(lambda: len(witness.of('door/knock')) > posted)
    guard.kill()
    waiting.join(60)
    ((code, told),) = outcome
    assert code == 1
    assert 'she has gone' in told
    assert 'Traceback' not in told
    # what it left behind is replaced by the next one
    assert (home / 'run' / 'soul.sock').is_socket()
    assert server_of(home) is None
    guard.start()
    wait_until(lambda: server_of(home) == guard.process.pid, 30)
    assert soul('resume')[0] == 0


def test_a_clean_end_takes_the_socket_away_and_rm_does_not(domain, home, witness, soul):
    process = Process(['-m', 'soul.bringup'], domain, home)
    try:
        witness.wait_awake(60)
        wait_until(lambda: server_of(home))
        assert (home / 'run' / 'soul.sock').stat().st_mode & 0o777 == 0o600
        assert home.joinpath('run').stat().st_mode & 0o777 == 0o700
        for file in (home / 'run').iterdir():
            file.unlink()
        wait_until(lambda: server_of(home) == process.process.pid, 30)
        code, told = soul('pause', '--home', home)
        assert (code, told) == (0, 'paused')
        assert process.end(signal.SIGTERM) == 0
        assert not (home / 'run' / 'soul.sock').exists()
    finally:
        process.close()


def test_a_long_path_is_said_and_found(domain, tmp_path, witness, soul):
    home, log = tmp_path / ('long' * 30), tmp_path / 'log'
    process = Process(['-m', 'soul.bringup'], domain, home, log=str(log))
    try:
        witness.wait_awake(60)
        wait_until(lambda: server_of(home))
        assert not (home / 'run' / 'soul.sock').exists()
        assert 'the command line finds her at' in log.read_text()
        assert soul('status')[0] == 0, 'by her namespace'
        assert soul('status', '--home', home)[0] == 0
        assert process.end() == 0
    finally:
        process.close()


@pytest.mark.long
def test_ros_does_where_there_is_no_socket(domain, home, witness, soul):
    graph = Inside(domain, home, mock_body={'speech_rate': 200.0})
    try:
        graph.listener.close()
        witness.wait_awake()
        assert server_of(home) is None
        assert soul('say', 'good morning') == (0, 'done')
        code, told = soul('status', '--home', home)
        assert code == 0
        assert 'mind idle' in told
        assert 'what she sees' in told
        code, told = soul('talk', given='hello\n')
        assert code == 0
        assert 'You said: hello' in told
        assert soul('echo', 'mind/state', '--once', '--field', 'phase') == (0, 'idle')
        assert '/soul/field/view' in soul('topics')[1]
        assert soul('poke', 'touch') == (0, 'touched')
    finally:
        graph.listener = None
        graph.close()
