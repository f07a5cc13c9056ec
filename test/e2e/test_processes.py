"""The processes of hers: a clean end, refusals in plain words, two suites side by side."""

import os
import pty
import signal
import subprocess
import sys

import pytest

from soul import graph as table
from soul.core.interfaces import EXIT_REFUSED
from soul.signals import Message
from support.graph import Inside, Process, organ_command
from support.waiting import wait_until
from support.witness import Witness

pytestmark = [pytest.mark.ros, pytest.mark.e2e]

COMPOSITION = ['-m', 'soul.bringup']


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(domain, home, tmp_path, witness, number):
    log = tmp_path / 'log'
    process = Process(COMPOSITION, domain, home, log=str(log))
    witness.wait_awake(60)
    answer = witness.post(Message(sender='ann', text='hello'))
    witness.wait('guard/act', lambda a: a.state == 'executing', 30)  # in mid-speech
    assert process.end(number) == 0, log.read_text()
    assert 'Traceback' not in log.read_text()
    device = (home / 'run' / 'device.jsonl').read_text()
    assert '"stop"' in device or '"leave"' in device
    assert not os.path.lexists(home / 'run' / 'body.pty')
    assert answer.accepted


def test_a_signal_during_the_start_ends_it_cleanly_too(domain, home, tmp_path):
    log = tmp_path / 'log'
    process = Process(organ_command(table.node('heart')), domain, home, log=str(log))
    # as soon as the signal handlers are there; before that Python itself ends
    wait_until(lambda: b'SigCgt' in _status(process) and _catches(process, signal.SIGTERM), 30)
    assert process.end(signal.SIGTERM) == 0, log.read_text()


def _status(process):
    with open(f'/proc/{process.process.pid}/status', 'rb') as file:
        return file.read()


def _catches(process, number):
    line = next(x for x in _status(process).splitlines() if x.startswith(b'SigCgt'))
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)


def run_refused(process):
    try:
        assert process.process.wait(60) == EXIT_REFUSED
    finally:
        process.kill()


def test_a_second_suite_on_the_same_home_refuses_and_says_who_is_there(domain, home, tmp_path):
    graph = Inside(domain, home)
    try:
        log = tmp_path / 'log'
        process = Process(COMPOSITION, domain, home, namespace='/other', log=str(log))
        run_refused(process)
        text = log.read_text()
        assert f'process {os.getpid()}' in text
        assert str(home) in text
        assert 'Traceback' not in text
    finally:
        graph.close()


def test_a_second_suite_in_the_same_namespace_refuses_and_says_who_is_there(
    domain, home, tmp_path
):
    graph = Inside(domain, home)
    try:
        log = tmp_path / 'log'
        process = Process(COMPOSITION, domain, tmp_path / 'home2', log=str(log))
        run_refused(process)
        text = log.read_text()
        assert '/soul/guard already lives' in text
        assert str(home) in text
        assert not (tmp_path / 'home2').exists(), 'the second one touched nothing'
    finally:
        graph.close()


@pytest.mark.parametrize(
    ('parameter', 'value', 'said'),
    [
        ('base_rate', '100.0', '0 to 60'),
        ('backend', 'oracle', "'auto', 'models', 'echo', 'scripted', 'openai'"),
    ],
)
def test_a_wrong_parameter_stops_the_start(domain, home, tmp_path, parameter, value, said):
    log = tmp_path / 'log'
    run_refused(Process(COMPOSITION, domain, home, log=str(log), **{parameter: value}))
    text = log.read_text()
    assert parameter in text
    assert said in text
    assert 'Traceback' not in text


@pytest.mark.long
def test_two_suites_in_one_domain_never_mix(domain, tmp_path):
    homes = {space: tmp_path / space for space in ('ann', 'ben')}
    graphs = {space: Inside(domain, home, f'/{space}') for space, home in homes.items()}
    witnesses = {space: Witness(domain, f'/{space}') for space in homes}
    try:
        for space, seen in witnesses.items():
            seen.wait_awake()
            for number in range(3):
                answer = seen.post(Message(id=f'{space}-{number}', sender=space, text=space))
                seen.wait('door/reply', lambda r, a=answer: r.in_reply_to == a.id)
            seen.wait('guard/act', lambda a: a.state == 'done', 60)
        for seen in witnesses.values():
            wait_until(lambda s=seen: s.of('mind/state')[-1].phase == 'idle', 60)
    finally:
        for thing in (*witnesses.values(), *graphs.values()):
            thing.close()
    for space, home in homes.items():
        other = 'ben' if space == 'ann' else 'ann'
        for file in home.rglob('*'):
            if file.is_file():
                assert f'{other}-'.encode() not in file.read_bytes(), file
        said = (home / 'run' / 'device.jsonl').read_text()
        assert f'You said: {space}' in said
        assert f'You said: {other}' not in said


def soul(arguments, domain, given='', **environment):
    """Run the soul command."""
    return subprocess.run(
        [sys.executable, '-m', 'soul.cli.main', *arguments],
        input=given,
        text=True,
        capture_output=True,
        timeout=60,
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain), 'NO_COLOR': '1', **environment},
    )


def test_soul_talk_and_status_find_her(domain, home):
    graph = Inside(domain, home)
    try:
        talk = soul(['talk', '--name', 'ann'], domain, 'are you there?\n')
        assert talk.returncode == 0, talk.stderr
        assert 'You said: are you there?' in talk.stdout
        status = soul(['status'], domain)
        assert status.returncode == 0, status.stderr
        for word in ('mind', 'heart', 'curiosity', 'guard', 'energy', 'what she sees'):
            assert word in status.stdout
    finally:
        graph.close()


def test_soul_talk_and_status_say_what_to_do_when_nobody_is_there(domain):
    for command in (['status', '--seconds', '0.5'], ['talk']):
        tried = soul(command, domain, 'hello\n')
        assert tried.returncode == 1
        assert 'soul up' in tried.stderr
        assert 'Traceback' not in tried.stderr


def test_soul_up_says_that_she_is_awake_and_how_to_talk_to_her(domain, home):
    """On a terminal, as a person sees it."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, '-m', 'soul.cli.main', 'up', '--home', str(home)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain), 'NO_COLOR': '1', 'COLUMNS': '120'},
    )
    os.close(slave)
    shown = b''
    while b'Ctrl-C' not in shown:
        shown += os.read(master, 4096)
    text = shown.decode()
    for word in ('she is awake', 'soul talk', 'soul status', '/soul/heart', str(home)):
        assert word in text
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    os.close(master)


def test_soul_up_with_a_wrong_option_says_so(domain, home, tmp_path):
    for options, said in (
        (['--params-file', str(tmp_path / 'none.yaml')], 'there is no such file'),
        (['--backend', 'oracle'], 'allowed is one of'),
        (['--driver', 'spot'], 'allowed is stackchan or none'),
    ):
        tried = soul(['up', '--home', str(home), *options], domain)
        assert tried.returncode != 0
        assert said in tried.stderr, tried.stderr
        assert 'Traceback' not in tried.stderr
