"""How she ends: with her terminal, with whoever reads her, and never without stopping the body."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from soul import graph as table
from soul.signals import Message, SpeakRequest
from support.graph import Process, organ_command
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e]


class Up:
    """`soul up` with a pipe as its terminal."""

    def __init__(self, domain, home, **options):
        self.home = home
        self.process = subprocess.Popen(
            [sys.executable, '-m', 'soul.cli.main', 'up', '--home', str(home)],
            env={**os.environ, 'ROS_DOMAIN_ID': str(domain), 'COLUMNS': '200'},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def read_to(self, text):
        for line in self.process.stdout:
            if text in line:
                return
        raise AssertionError(f'{text} was never printed: {self.process.stderr.read()}')

    def ended(self):
        """Exit code and what it complained of."""
        code = self.process.wait(30)
        return code, self.process.stderr.read().decode()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        self.process.stdout.close()
        self.process.stderr.close()


@pytest.fixture
def up(domain, home):
    made = []

    def begin(**options):
        made.append(Up(domain, home, **options))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def test_nobody_reads_the_greeting(up):
    soul = up()
    soul.process.stdout.close()
    assert soul.ended() == (0, '')


def test_nobody_reads_any_more_and_the_body_is_stopped_first(up, witness):
    soul = up()
    soul.read_to(b'body connected')
    soul.process.stdout.close()
    # What she says from now on has no reader; the first line of it ends her, perhaps before this
    # is answered.
    witness.post(Message(sender='ann', text='are you there?'))
    assert soul.ended() == (0, '')
    assert '"leave"' in (soul.home / 'run' / 'device.jsonl').read_text().splitlines()[-1]


def test_the_terminal_goes_away(up):
    # Whoever runs the tests under nohup hands down that the signal is ignored.
    soul = up(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
    soul.read_to(b'body connected')
    soul.process.send_signal(signal.SIGHUP)
    assert soul.ended() == (0, '')


def test_nohup_outlives_the_terminal(up):
    soul = up(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    soul.read_to(b'body connected')
    status = Path(f'/proc/{soul.process.pid}/status').read_text()
    ignored = int(re.search(r'SigIgn:\s*(\w+)', status)[1], 16)
    assert ignored & 1 << (signal.SIGHUP - 1)
    soul.process.send_signal(signal.SIGTERM)
    assert soul.ended() == (0, '')


def state_of(home, act_id):
    with sqlite3.connect(home / 'guard.db') as db:
        return db.execute('SELECT state, detail FROM acts WHERE id = ?', (act_id,)).fetchone()


def speak(witness):
    answer = witness.call('speak', SpeakRequest('a long story ' * 50, '', 'test', ''))
    assert answer.accepted
    witness.wait('guard/act', lambda a: a.id == answer.act_id and a.state == 'executing')
    return answer.act_id


def is_saying(home):
    log = home / 'run' / 'device.jsonl'
    return log.exists() and '"say"' in log.read_text()


def test_what_she_is_saying_is_ended_and_written_down(domain, home, witness, tmp_path):
    """In one process: the driver ends first, and the guard hears how."""
    soul = Process(['-m', 'soul.bringup'], domain, home, log=tmp_path / 'log')
    try:
        witness.wait_awake()
        act_id = speak(witness)
        wait_until(lambda: is_saying(home))
        assert soul.end(signal.SIGINT) == 0
    finally:
        soul.close()
    assert state_of(home, act_id) == ('failed', 'the body is being put to rest')
    assert 'never awaited' not in (tmp_path / 'log').read_text()


def test_what_she_is_saying_is_ended_also_where_all_end_at_once(domain, home, witness, tmp_path):
    """As processes of their own, as after Ctrl-C in a terminal: the guard ends the goal itself."""
    wanted = [e for e in table.entries() if e.name in ('guard', 'stackchan', 'mock_body')]
    log = tmp_path / 'log'
    souls = [
        Process(organ_command(e), domain, home, log=log, **table.parameters(e, True))
        for e in wanted
    ]
    try:
        witness.wait('guard/state')
        witness.wait('connection', lambda c: c.connected)
        act_id = speak(witness)
        wait_until(lambda: is_saying(home))
        for soul in souls[::2]:  # guard and driver; a real body would outlive them
            soul.process.send_signal(signal.SIGINT)
        assert [soul.end() for soul in souls] == [0, 0, 0]
    finally:
        for soul in souls:
            soul.close()
    assert state_of(home, act_id)[0] == 'failed'
    assert 'never awaited' not in (tmp_path / 'log').read_text()
