"""Files that let a supervisor keep her alive: a systemd user unit, a runit service."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

#: What an environment without `tools/env.sh` needs to find ROS and her.
VARIABLES = (
    'PATH', 'PYTHONPATH', 'LD_LIBRARY_PATH', 'AMENT_PREFIX_PATH', 'ROS_DISTRO', 'ROS_DOMAIN_ID',
    'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_STATIC_PEERS', 'RMW_IMPLEMENTATION',
)  # fmt: skip


def command(root: Path | None, words: Sequence[str]) -> str:
    """Return the shell command that starts her.

    Parameters
    ----------
    root
        Checkout whose `tools/env.sh` makes her environment; None: it is there already.
    words
        What follows `soul up`.
    """
    begin = f'. {shlex.quote(str(root / "tools" / "env.sh"))} && ' if root is not None else ''
    return f'{begin}exec soul up {shlex.join(words)}'.rstrip()


def systemd(start: str, environment: Mapping[str, str]) -> str:
    """Return a systemd user unit.

    Parameters
    ----------
    start
        The shell command that starts her.
    environment
        Variables that it needs.
    """
    lines = [f'Environment={_quoted(f"{name}={value}")}' for name, value in environment.items()]
    return '\n'.join(
        [
            '[Unit]',
            'Description=soul, a persona that lives on a robot',
            'After=network.target',
            '# she decides herself when too many starts are too many',
            'StartLimitIntervalSec=0',
            '',
            '[Service]',
            'Type=notify',
            f'ExecStart=/bin/bash -c {_quoted(start)}',
            *lines,
            'Restart=on-failure',
            'RestartSec=5',
            '# a start that was refused would be refused again',
            'RestartPreventExitStatus=2',
            'WatchdogSec=60',
            'TimeoutStartSec=180',
            'TimeoutStopSec=30',
            'KillMode=mixed',
            'UMask=0077',
            'NoNewPrivileges=yes',
            '# the key that opens the keys of providers, if it shall not lie in her home:',
            '#LoadCredentialEncrypted=soul-master-key',
            '',
            '[Install]',
            'WantedBy=default.target',
            '',
        ]
    )


def runit(start: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the scripts of a runit service by name: `run` and `finish`."""
    lines = [f'export {name}={shlex.quote(value)}' for name, value in environment.items()]
    run = '\n'.join(['#!/bin/bash', 'exec 2>&1', 'umask 077', *lines, start, ''])
    finish = '\n'.join(
        [
            '#!/bin/sh',
            '# a start that was refused would be refused again',
            '[ "$1" = 2 ] && exec sv down "$(pwd)"',
            'sleep 5',
            '',
        ]
    )
    return {'run': run, 'finish': finish}


def _quoted(text: str) -> str:
    """Quote a word for a unit file: % and $ are letters there that mean something."""
    text = text.replace('\\', '\\\\').replace('"', '\\"').replace('%', '%%').replace('$', '$$')
    return f'"{text}"'
