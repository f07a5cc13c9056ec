"""How a process of hers begins: what it takes, how far it is seen, how it is interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from soul import graph as table
from soul.core.interfaces import EXIT_REFUSED
from soul.ros import dds
from support.machine import handles_signals
from support.waiting import wait_until

pytestmark = pytest.mark.ros

NODE = [sys.executable, '-c', 'import sys; from soul.entry import heart; sys.exit(heart())']


def run(*arguments, **environment):
    return subprocess.run(
        [*NODE, *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize('option', ['-h', '--help'])
def test_help_is_help_and_starts_nothing(tmp_path, option):
    """found 36: `ros2 run soul heart --help` started a heart."""
    ended = run(option, SOUL_HOME=str(tmp_path / 'home'))
    assert ended.returncode == 0
    assert 'usage' in ended.stdout
    assert not (tmp_path / 'home').exists()


def test_an_argument_that_nobody_reads_is_refused(tmp_path):
    """found 36: whatever stood before --ros-args was passed over."""
    ended = run('base_rate:=2.0', '--ros-args', '-p', 'base_rate:=2.0')
    assert ended.returncode == EXIT_REFUSED
    assert "'base_rate:=2.0'" in ended.stderr


def test_driver_none_is_no_body_of_ours():
    """found 36: `driver:=none` alone started the simulated body and its driver."""
    names = [entry.name for entry in table.entries(True, 'none')]
    assert names == [entry.name for entry in table.NODES if entry.role == 'organ']
    assert table.entries(False, 'none') == table.entries(True, 'none')
    assert table.node('stackchan') in table.entries(False)
    assert table.node('mock_body') in table.entries()


def test_she_is_seen_on_this_machine_unless_somebody_says_otherwise(monkeypatch):
    """found 34: without tools/env.sh discovery was open to the network."""
    for name in (dds.RANGE, dds.OLD_RANGE):
        monkeypatch.delenv(name, raising=False)
    dds.prepare()
    assert os.environ[dds.RANGE] == 'LOCALHOST'
    monkeypatch.setenv(dds.RANGE, 'SUBNET')
    dds.prepare()
    assert os.environ[dds.RANGE] == 'SUBNET'
    monkeypatch.delenv(dds.RANGE)
    monkeypatch.setenv(dds.OLD_RANGE, '0')
    dds.prepare()
    assert dds.RANGE not in os.environ


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('stage', ['begun', 'loaded', 'home', 'alive'])
def test_an_interrupted_start_says_nothing(tmp_path, domain, number, stage):
    """found 36: Ctrl-C during the start printed a traceback of each process."""
    process = subprocess.Popen(
        NODE,
        env={**os.environ, 'SOUL_HOME': str(tmp_path / 'home'), 'ROS_DOMAIN_ID': str(domain)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    reached = {
        'begun': lambda: handles_signals(process.pid),
        'loaded': lambda: '_rclpy' in Path(f'/proc/{process.pid}/maps').read_text(),
        'home': lambda: (tmp_path / 'home' / 'run').is_dir(),
        'alive': lambda: (tmp_path / 'home' / 'run' / 'heart.lock').exists(),
    }
    wait_until(reached[stage], pause=0.001)
    for _ in range(3):
        process.send_signal(number)
    told = process.communicate(timeout=20)
    assert process.returncode == 0, told
    assert 'Traceback' not in told[1]


def test_a_start_loads_no_generator_of_code_and_leaves_no_trace_of_that():
    """Messages need only their type support; the generator's parsers took a tenth of a start."""
    code = """
import os, sys
from soul import loading
before = dict(os.environ)
loading.begin()
from soul.ros import convert
from soul.signals import Message
convert.to_ros(Message(id='m1', text='hello'))
assert 'lark' not in sys.modules and 'em' not in sys.modules
loading.end()
assert dict(os.environ) == before
from rosidl_generator_py.generate_py_impl import generate_py
assert callable(generate_py)
"""
    ended = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
