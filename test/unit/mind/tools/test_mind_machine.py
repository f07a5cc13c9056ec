"""Her own machine: the contract over a real socket, and the four rules of the server."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from soul.mind.tools.machine import LinuxArguments, Machine
from soul.signals import ActState
from support.machine import SERVER, MachineServer


@pytest.fixture
def server(tmp_path):
    server = MachineServer(tmp_path, 'sesame', '--output', '2000', '--seconds', '20')
    yield server
    server.close()


@pytest.fixture
def machine(server, monkeypatch):
    monkeypatch.setenv('SOUL_TEST_TOKEN', 'sesame')
    return Machine(server.url, 'SOUL_TEST_TOKEN')


def run(machine, command, **given):
    return asyncio.run(machine.run(LinuxArguments(command=command, **given)))


def ended(pid):
    """Whether a process is gone, or waits only for somebody to collect it."""
    try:
        state = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]
    except FileNotFoundError:
        return True
    return state == 'Z'


def test_a_command_runs_where_she_was_last(machine, tmp_path):
    done = run(machine, 'mkdir made; cd made; echo hello; echo oh >&2; exit 3')
    assert done.state == ActState.DONE
    assert done.text == f'exit 3 in {tmp_path}/made\nhello\nstderr:\noh'
    assert f'in {tmp_path}/made' in run(machine, 'touch here').text
    assert (tmp_path / 'made' / 'here').exists()
    assert 'no folder' in run(machine, 'true', cwd='/nowhere').text


def test_what_takes_too_long_is_ended_with_all_it_started(machine, tmp_path):
    begun = time.monotonic()
    done = run(machine, 'sleep 60 & echo $! > pid; echo begun; sleep 60', timeout=1)
    assert time.monotonic() - begun < 30
    assert 'too long' in done.text
    assert 'begun' in done.text
    pid = int((tmp_path / 'pid').read_text())
    assert ended(pid)


def test_output_is_capped_and_commands_are_logged(machine, server):
    done = run(machine, 'yes | head -c 100000')
    assert len(done.text) < 2200
    assert '(cut)' in done.text
    log = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert log[0]['command'].startswith('yes')
    assert log[1]['exit'] == 0


def test_a_command_cannot_read_the_token(machine):
    for command in ('env', 'cat /proc/$PPID/environ', 'cat /proc/$PPID/cmdline'):
        text = run(machine, command).text
        assert 'exit 0' in text
        assert 'sesame' not in text


def test_without_the_token_nothing_runs(server, monkeypatch, tmp_path):
    monkeypatch.setenv('SOUL_TEST_TOKEN', 'wrong')
    done = run(Machine(server.url, 'SOUL_TEST_TOKEN'), 'touch made')
    assert done.state == ActState.FAILED
    assert '$SOUL_TEST_TOKEN' in done.text
    assert not (tmp_path / 'made').exists()


def test_an_end_in_doubt_is_said_to_be_one(monkeypatch):
    assert run(Machine('http://127.0.0.1:9', 'X'), 'true').state == ActState.FAILED
    assert 'public' in run(Machine('http://8.8.8.8', 'X'), 'true').text

    async def half():
        async def hang_up(reader, writer):
            await reader.readuntil(b'\r\n\r\n')
            writer.close()

        async with await asyncio.start_server(hang_up, '127.0.0.1', 0) as server:
            port = server.sockets[0].getsockname()[1]
            machine = Machine(f'http://127.0.0.1:{port}', 'X')
            return await machine.run(LinuxArguments(command='true'))

    assert asyncio.run(half()).state == ActState.UNCERTAIN


@pytest.mark.parametrize('host', ['0.0.0.0', '8.8.8.8', '::', 'localhost'])
def test_the_server_does_not_stand_in_public(host):
    told = subprocess.run(
        [sys.executable, str(SERVER), '--host', host, '--port', '0', '--allow-root'],
        capture_output=True, text=True, timeout=20,
    )  # fmt: skip
    assert told.returncode == 2
    assert host in told.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason='only root can be refused for being root')
def test_the_server_does_not_run_as_root():
    told = subprocess.run(
        [sys.executable, str(SERVER), '--port', '0'], capture_output=True, text=True, timeout=20
    )
    assert told.returncode == 2
    assert 'without rights' in told.stdout
