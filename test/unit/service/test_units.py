"""The files that let a supervisor keep her alive, as their own programs read them."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from soul.cli.main import app
from soul.service import units


def install(*words):
    result = CliRunner().invoke(app, ['service', 'install', *map(str, words)])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_unit_says_when_she_is_begun_anew_and_when_not(tmp_path):
    text = install('--to', tmp_path, '--', '--home', '/home/her home', '--body', 'serial')
    assert 'systemctl --user enable --now soul' in text
    unit = (tmp_path / 'soul.service').read_text()
    for line in (
        'Type=notify', 'Restart=on-failure', 'RestartPreventExitStatus=2', 'WatchdogSec=60',
    ):  # fmt: skip
        assert line in unit.splitlines()
    assert "exec soul up --home '/home/her home' --body serial" in unit


@pytest.mark.skipif(shutil.which('systemd-analyze') is None, reason='there is no systemd here')
def test_systemd_takes_the_unit(tmp_path):
    install('--to', tmp_path, '--', '--home', '/home/50% "her" $HOME')
    checked = subprocess.run(
        ['systemd-analyze', '--user', 'verify', str(tmp_path / 'soul.service')],
        capture_output=True,
        text=True,
        env={**os.environ, 'XDG_RUNTIME_DIR': str(tmp_path)},
        timeout=60,
        check=False,
    )
    said = [line for line in checked.stderr.splitlines() if 'soul.service' in line]
    assert (checked.returncode, said) == (0, [])


def test_runit_runs_her_and_not_again_after_a_refusal(tmp_path):
    install('--runit', tmp_path / 'soul', '--', '--home', '/x')
    run, finish = tmp_path / 'soul' / 'run', tmp_path / 'soul' / 'finish'
    for script in (run, finish):
        assert stat.S_IMODE(script.stat().st_mode) == 0o755
        subprocess.run(['bash', '-n', str(script)], check=True, timeout=20)
    # in the place of her and of runit's own program, both of which say how they were called
    tools = tmp_path / 'tools'
    tools.mkdir()
    for name in ('soul', 'sv', 'sleep'):
        (tools / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tools / name).chmod(0o755)
    path = {**os.environ, 'PATH': f'{tools}:{os.environ["PATH"]}'}

    def said(*words):
        done = subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, env=path,
            cwd=tmp_path / 'soul', timeout=20, check=False,
        )  # fmt: skip
        return done.stdout.strip()

    assert said(finish, '2', '0') == f'sv down {Path(tmp_path / "soul")}'
    assert said(finish, '1', '0') == 'sleep 5'


def test_where_she_is_installed_her_environment_is_written_down():
    start = units.command(None, [])
    assert start == 'exec soul up'
    unit = units.systemd(start, {'PYTHONPATH': '/opt/ros/a b', 'ROS_DOMAIN_ID': '7'})
    assert 'Environment="PYTHONPATH=/opt/ros/a b"' in unit.splitlines()
    assert (
        "export PYTHONPATH='/opt/ros/a b'"
        in units.runit(start, {'PYTHONPATH': '/opt/ros/a b'})['run']
    )


def test_it_can_be_looked_at_first(tmp_path):
    assert 'Type=notify' in install('--show', '--to', tmp_path / 'no')
    assert not (tmp_path / 'no').exists()
