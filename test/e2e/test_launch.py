"""The launch file with the real `ros2` tool, where it is installed."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from soul import graph as table
from soul.signals import Message
from support.machine import handles_signals
from support.waiting import wait_until
from support.witness import Witness

pytestmark = [
    pytest.mark.ros,
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which('ros2') is None, reason='the ros2 tool is not installed'),
]


class Launched:
    """`ros2 launch soul bringup.launch.py` in a process group of its own."""

    def __init__(self, domain, log, **arguments):
        self.log = log
        with log.open('wb') as output:
            self.process = subprocess.Popen(
                [
                    'ros2',
                    'launch',
                    'soul',
                    'bringup.launch.py',
                    *(f'{name}:={value}' for name, value in arguments.items()),
                ],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
                start_new_session=True,
            )

    def pids(self, command='lib/soul/'):
        """Processes of this launch whose command line holds a text."""
        found = subprocess.run(
            ['pgrep', '-s', str(self.process.pid), '-f', command], capture_output=True, text=True
        )
        return [int(pid) for pid in found.stdout.split()]

    def interrupt(self):
        """End it as Ctrl-C would, and return the exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(30)

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)


def full_names(node, namespace):
    found = node.get_node_names_and_namespaces()
    return {name for name, space in found if space == namespace and name[0] != '_'}


@pytest.mark.parametrize('composed', ['false', 'true'])
@pytest.mark.parametrize('namespace', ['soul', '/other'])
def test_it_comes_up_answers_and_goes_down(domain, home, tmp_path, composed, namespace):
    space = '/' + namespace.strip('/')
    seen = Witness(domain, space)
    graph = Launched(
        domain,
        tmp_path / 'log',
        use_mock='true',
        soul_home=home,
        composed=composed,
        namespace=namespace,
    )
    try:
        seen.wait_awake(60)
        expected = {entry.name for entry in table.entries()} | {'witness'}
        wait_until(lambda: expected <= full_names(seen.node, space), 20)
        answer = seen.post(Message(sender='ann', text='hello'))
        seen.wait('door/reply', lambda r: r.in_reply_to == answer.id)
        seen.wait('guard/act', lambda a: a.state == 'done', 30)
        assert graph.interrupt() == 0, graph.log.read_text()
        text = graph.log.read_text()
        assert 'Traceback' not in text
        assert 'process has died' not in text, text
    finally:
        graph.close()
        seen.close()


def test_two_at_once_in_one_domain_never_mix(domain, tmp_path):
    spaces = ('ann', 'ben')
    seen = {space: Witness(domain, f'/{space}') for space in spaces}
    graphs = {
        space: Launched(
            domain, tmp_path / f'log-{space}', namespace=f'/{space}', soul_home=tmp_path / space
        )
        for space in spaces
    }
    try:
        for space in spaces:
            seen[space].wait_awake(90)
            post = Message(id=f'{space}-1', sender=space, text=f'I am {space}')
            answer = seen[space].post(post)
            seen[space].wait('door/reply', lambda r, a=answer: r.in_reply_to == a.id, 60)
            seen[space].wait('guard/act', lambda a: a.state == 'done', 60)
        assert [graph.interrupt() for graph in graphs.values()] == [0, 0]
        for space, other in (spaces, spaces[::-1]):
            kept = {f: f.read_bytes() for f in (tmp_path / space).rglob('*') if f.is_file()}
            assert any(f'{space}-1'.encode() in data for data in kept.values())
            for file, data in kept.items():
                assert f'{other}-1'.encode() not in data, file
            assert (
                f'You said: I am {other}'.encode()
                not in kept[tmp_path / space / 'run' / 'device.jsonl']
            )
    finally:
        for thing in (*graphs.values(), *seen.values()):
            thing.close()


def test_a_second_suite_in_the_same_namespace_refuses_and_says_why(domain, tmp_path, witness):
    first = Launched(domain, tmp_path / 'log', soul_home=tmp_path / 'home')
    second = None
    try:
        witness.wait_awake(60)
        second = Launched(domain, tmp_path / 'log2', soul_home=tmp_path / 'home2')
        second.process.wait(60)
        text = second.log.read_text()
        assert 'already lives, on the home' in text
        assert str(tmp_path / 'home') in text
        assert first.interrupt() == 0
    finally:
        first.close()
        if second is not None:
            second.close()


def test_a_refused_start_ends_the_launch_instead_of_being_tried_for_ever(domain, tmp_path):
    params = tmp_path / 'params.yaml'
    params.write_text('/**:\n  ros__parameters:\n    base_rate: 1000.0\n')
    graph = Launched(domain, tmp_path / 'log', soul_home=tmp_path / 'home', params_file=params)
    try:
        assert graph.process.wait(40) != 0, 'found 28: whoever started it learns of it'
        text = graph.log.read_text()
        assert 'parameter base_rate is 1000.0, allowed is a number from 0 to 60' in text
        assert 'heart' in text
    finally:
        graph.close()


def test_a_killed_organ_is_started_again(domain, home, tmp_path, witness):
    graph = Launched(domain, tmp_path / 'log', soul_home=home)
    try:
        witness.wait_awake(60)
        before = len(witness.of('heart/state'))
        pids = graph.pids('lib/soul/heart')
        assert pids, 'the heart runs in a process of its own'
        os.kill(pids[0], signal.SIGKILL)
        wait_until(lambda: 'process has died' in graph.log.read_text(), 20)
        wait_until(lambda: len(witness.of('heart/state')) > before, 30)
        assert graph.interrupt() == 0
    finally:
        graph.close()


@pytest.mark.parametrize('wrong', ['nothere.yaml', '.'])
def test_a_parameter_file_that_is_none_is_refused(domain, tmp_path, wrong):
    """found 28: a mistyped file was a warning, and she lived on without `speech: deny`."""
    graph = Launched(
        domain, tmp_path / 'log', soul_home=tmp_path / 'home', params_file=tmp_path / wrong
    )
    try:
        assert graph.process.wait(40) != 0
        text = graph.log.read_text()
        assert f"params_file is '{tmp_path / wrong}'" in text
        assert 'process started' not in text
    finally:
        graph.close()


def test_without_a_driver_there_is_no_body_of_ours(domain, home, tmp_path, witness):
    """found 36: `driver:=none` alone started the simulated body and its driver."""
    graph = Launched(domain, tmp_path / 'log', soul_home=home, driver='none')
    try:
        witness.wait_awake(60, body=False)
        assert graph.interrupt() == 0
        text = graph.log.read_text()
        assert 'mock_body' not in text
        assert 'stackchan' not in text
    finally:
        graph.close()


@pytest.mark.parametrize('composed', ['false', 'true'])
def test_an_end_during_the_start_is_a_quiet_one(domain, home, tmp_path, composed):
    """found 36: Ctrl-C during the start printed seven tracebacks, a second one ended with -2."""
    graph = Launched(domain, tmp_path / 'log', soul_home=home, composed=composed)
    try:
        number = 1 if composed == 'true' else len(table.entries())
        wait_until(
            lambda: len(graph.pids()) == number and all(map(handles_signals, graph.pids())),
            pause=0.005,
        )
        assert graph.interrupt() == 0
        text = graph.log.read_text()
        assert 'Traceback' not in text, text
        # launch itself loses sight of a child that ends at once, and reports 255 for it
        assert 'exit code -' not in text, text
    finally:
        graph.close()


def test_a_second_interrupt_disturbs_nothing(domain, home, tmp_path, witness):
    """found 36: a second Ctrl-C ended nodes with -2 while they were winding down."""
    graph = Launched(domain, tmp_path / 'log', soul_home=home)
    try:
        witness.wait_awake(60)
        for _ in range(2):
            os.killpg(graph.process.pid, signal.SIGINT)
            wait_until(lambda: 'SIGINT' in graph.log.read_text())
        graph.process.wait(30)
        text = graph.log.read_text()
        assert 'Traceback' not in text, text
        assert 'exit code -2' not in text, text
    finally:
        graph.close()


def test_it_is_seen_on_this_machine_only(domain, home, tmp_path, monkeypatch):
    """found 34: without tools/env.sh discovery was open to the network."""
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE', raising=False)
    monkeypatch.delenv('ROS_LOCALHOST_ONLY', raising=False)
    graph = Launched(domain, tmp_path / 'log', soul_home=home, composed='true')
    try:
        pid = wait_until(lambda: graph.pids('lib/soul/composition'))[0]
        told = Path(f'/proc/{pid}/environ').read_text().split('\0')
        assert 'ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST' in told
    finally:
        graph.close()


def test_the_arguments_are_described():
    shown = subprocess.run(
        ['ros2', 'launch', 'soul', 'bringup.launch.py', '--show-args'],
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout
    for name in (
        'namespace',
        'use_mock',
        'use_sim_time',
        'params_file',
        'autostart',
        'composed',
        'log_level',
        'soul_home',
        'driver',
    ):
        assert f"'{name}'" in shown
