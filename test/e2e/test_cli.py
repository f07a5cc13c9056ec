"""The `soul` command beside a living graph: what a person without ROS tools has."""

import json
import os
import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner

from soul.cli.main import app
from soul.core.interfaces import EXIT_REFUSED
from soul.core.organ import StartRefused
from soul.signals import TriggerRequest
from support.graph import Inside
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e]


@pytest.fixture
def soul(domain, monkeypatch):
    """Run a command; returns its exit code and all it printed."""
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))

    def run(*arguments):
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        if result.exception and not isinstance(result.exception, (SystemExit, StartRefused)):
            raise result.exception
        if isinstance(result.exception, StartRefused):
            return EXIT_REFUSED, str(result.exception)
        return result.exit_code, result.output.strip()

    return run


@pytest.fixture
def terminal(domain):
    """Run a command in a process of its own: what it finds of the graph comes over the wire."""

    def run(*arguments):
        result = subprocess.run(
            [sys.executable, '-m', 'soul.cli.main', *(str(a) for a in arguments)],
            env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        return result.returncode, result.stdout.strip()

    return run


@pytest.fixture
def graph(domain, home):
    made = Inside(domain, home, mock_body={'speech_rate': 200.0})
    yield made
    made.close()


def test_orders_to_the_guard(graph, witness, soul):
    witness.wait_awake()
    assert soul('say', 'good morning') == (0, 'done')
    assert soul('look', 'left') == (0, 'done')
    code, told = soul('look', 'up', '--question', 'what is there?')
    assert (code, told) == (0, 'done: a picture')
    assert witness.of('guard/act', lambda a: a.state == 'done')[0].by == 'terminal'
    assert soul('stop') == (0, 'stopped; the body: halted; `resume` ends it')
    witness.wait('guard/state', lambda s: s.stopped)
    code, told = soul('say', 'hello?')
    assert code == 1
    assert 'refused: stopped' in told
    assert soul('resume') == (0, 'resumed')
    assert soul('pause') == (0, 'paused')
    wait_until(lambda: witness.of('guard/state')[-1].paused)
    assert soul('unpause') == (0, 'goes on')
    assert soul('sleep', 20) == (0, 'done')
    witness.wait('heart/state', lambda s: s.rest_until > s.stamp + 600)
    code, told = soul('sleep', 9999)
    assert code == 1
    assert '9999' in told
    code, told = soul('look', 'backwards')
    assert code == EXIT_REFUSED
    assert "'backwards', allowed is one of ahead, left" in told


def test_poking_the_simulated_body(graph, witness, soul, home):
    witness.wait_awake()
    assert soul('poke', 'pick_up') == (0, 'held')
    witness.wait('body/state', lambda s: s.picked_up == 1)
    assert soul('poke', 'pick_up', '--off') == (0, 'put down')
    assert soul('poke', 'touch') == (0, 'touched')
    witness.wait('body/event', lambda e: e.kind == 'touched')
    assert soul('poke', 'mute') == (0, 'mute = True')
    assert soul('poke', 'mute', '--off') == (0, 'mute = False')
    code, told = soul('poke', 'pickup')
    assert code == EXIT_REFUSED
    assert 'did you mean pick_up?' in told
    code, told = soul('poke', 'touch', '--off')
    assert code == EXIT_REFUSED
    assert 'pick_up' in soul('poke')[1].splitlines()


def test_pairing_from_a_terminal(domain, home, soul, terminal):
    graph = Inside(
        domain, home,
        mock_body={'flavour': 'official'},
        stackchan={'transport': 'xiaozhi', 'xiaozhi_port': 0, 'xiaozhi_mdns': False},
    )  # fmt: skip
    told = []

    def pair():
        told.append(terminal('body', 'pair', '--here', '--home', home))

    try:
        wait_until(lambda: soul('body', 'paired', '--home', home) == (0, 'none'))
        pairing = threading.Thread(target=pair)
        pairing.start()
        wait_until(lambda: (home / 'run' / 'device.jsonl').is_file())
        while pairing.is_alive():  # it asks whenever it boots, and dials when it is woken
            soul('poke', 'reboot', '--home', home)
            pairing.join(1.0)
            soul('poke', 'wake', '--home', home)
            pairing.join(3.0)
        ((code, text),) = told
        assert code == 0, text
        assert 'Only devices on this machine can come.' in text
        assert 'is hers now' in text
        code, device = soul('body', 'paired', '--home', home)
        assert device in text
        assert soul('body', 'forget', device, '--home', home)[0] == 0
        code, text = soul('body', 'forget', 'nobody', '--home', home)
        assert (code, 'is not paired' in text) == (1, True)
    finally:
        graph.close()


def test_a_body_that_dials_nobody_pairs_nobody(graph, witness, soul):
    witness.wait_awake()
    code, told = soul('body', 'pair', '--here')
    assert code == 1
    assert 'soul up --body xiaozhi' in ' '.join(told.split())


def test_topics_and_what_is_said_on_them(graph, witness, soul, terminal):
    witness.wait_awake()
    code, told = terminal('topics')
    assert code == 0
    lines = {line.split()[0]: line.split()[1:] for line in told.splitlines()}
    assert lines['/soul/field/view'] == ['state', 'soul_msgs/msg/View']
    assert lines['/soul/heart/wake'] == ['events', 'soul_msgs/msg/Wake']
    assert lines['/soul/battery_state'] == ['readings', 'sensor_msgs/msg/BatteryState']
    assert '/diagnostics' in terminal('topics', '--all')[1]
    code, told = soul('echo', 'mind/state', '--once')
    assert code == 0
    assert 'phase: idle' in told
    assert told.endswith('---')
    newest = witness.of('field/view')[-1]
    assert soul('echo', 'field/view', '--once', '--field', 'text') == (0, newest.text.strip())
    code, told = soul('echo', 'joint_states', '--count', 2)
    assert told.count('---') == 2
    code, told = soul('echo', 'field/vew', '--once', '--seconds', 0.5)
    assert code == 1
    assert 'did you mean /soul/field/view?' in told
    code, told = soul('echo', 'field/view', '--once', '--field', 'txt')
    assert code == EXIT_REFUSED
    assert 'did you mean text?' in told


def test_echo_ends_with_its_reader(graph, witness, soul):
    witness.wait_awake()
    process = subprocess.Popen(
        [sys.executable, '-m', 'soul.cli.main', 'echo', 'joint_states'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(20) == 0
        assert process.stderr.read() == b''
    finally:
        process.kill()
        process.wait(10)
        process.stderr.close()


def test_nobody_there(soul):
    for command in (('stop',), ('poke', 'touch'), ('topics',), ('echo', 'x', '--seconds', 0.2)):
        code, told = soul(*command)
        assert code == 1
        assert told
        assert 'Traceback' not in json.dumps(told)


def test_status_says_which_organ_stays_down(graph, witness, terminal, monkeypatch):
    """found 3: an organ that keeps failing stays down, and status says so; the others live."""
    monkeypatch.setattr('soul.core.supervision.PAUSE_SECONDS', 0.0)
    witness.wait_awake()
    number = next(n for n, organ in enumerate(graph.runner.organs) if organ.spec.name == 'heart')

    def broken(self, now):
        raise ZeroDivisionError('a [/] bug')

    monkeypatch.setattr('soul.heart.heart.Heart.start', broken)
    graph.runner.organs[number].inject(lambda now: broken(None, now))
    wait_until(lambda: graph.runner.organs[number].supervisor.down)
    code, told = terminal('status', '--seconds', '2.5')
    assert code == 0
    assert 'stays down' in ' '.join(told.split())
    assert 'ZeroDivisionError' in told
    assert witness.call('stop', TriggerRequest()).success
