"""How she ends: with her terminal, with whoever reads her, and never without stopping the body."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from soul.signals import Message

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
    # What she says from now on has no reader; the first line of it ends her.
    assert witness.post(Message(sender='ann', text='are you there?')).accepted
    assert soul.ended() == (0, '')
    assert '"leave"' in (soul.home / 'run' / 'device.jsonl').read_text().splitlines()[-1]


def test_the_terminal_goes_away(up):
    soul = up()
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
