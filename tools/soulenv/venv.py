"""The virtual environment: create it, fill it with pip, and explain why pip failed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from soulenv import commands
from soulenv.families import Family
from soulenv.report import SetupError

# Variables of other environments, which would leak into this one.
_FOREIGN = (
    'PYTHONHOME',
    'PYTHONPATH',
    'LD_LIBRARY_PATH',
    'AMENT_PREFIX_PATH',
    'VIRTUAL_ENV',
    'CMAKE_PREFIX_PATH',
    'COLCON_PREFIX_PATH',
    '_ROS_WHEELS_BOOTSTRAP_COMPLETE',
)

_PIP_RELEASE = 'https://pypi.org/pypi/pip/json'
_INSTALL_VENV = 'Debian, Ubuntu: sudo apt install python3-venv'

# What pip's output means, most telling first.
_PIP_FAULTS = (
    (
        ('No space left on device',),
        'The disk is full.',
        'free about 1 GB (also in the directory for temporary files: TMPDIR) and run it again',
    ),
    (
        (
            'Temporary failure in name resolution',
            'Failed to establish a new connection',
            'Network is unreachable',
            'Connection refused',
            'Connection reset',
            'ConnectTimeout',
            'Read timed out',
            'ProxyError',
            'NewConnectionError',
            'NameResolutionError',
        ),
        'The package index cannot be reached.',
        'check the network; behind a proxy set HTTPS_PROXY, for a mirror set PIP_INDEX_URL',
    ),
    (
        ('CERTIFICATE_VERIFY_FAILED', 'SSLError'),
        'The certificate of the package index is not trusted here.',
        'give pip the certificate of your network: pip config set global.cert /path/to/ca.pem',
    ),
    (
        ('(from versions: none)',),
        'The package index cannot be reached, or does not have a package at all.',
        'check the network (proxy: HTTPS_PROXY); a mirror may be incomplete: pip config list',
    ),
    (
        ('No matching distribution found', 'Could not find a version'),
        'The package index has no fitting version of a package.',
        'see which one in the log; a mirror may be incomplete (pip config list shows the index)',
    ),
    (
        ('ResolutionImpossible', 'conflicting dependencies'),
        'The requirements contradict each other.',
        'make clean and run it again; if it stays, please report it with the log',
    ),
)


def clean_environment(family: Family) -> dict[str, str]:
    """Return the variables for commands inside the environment."""
    variables = dict(os.environ)
    if family.wheels:
        for name in _FOREIGN:
            variables.pop(name, None)
    else:
        variables.pop('PYTHONHOME', None)
    variables['VIRTUAL_ENV'] = str(family.venv)
    variables['PATH'] = os.pathsep.join([str(family.venv / 'bin'), variables['PATH']])
    return variables


def create(family: Family, python: str) -> None:
    """Make an empty environment, also where Debian has left out ensurepip."""
    shutil.rmtree(family.venv, ignore_errors=True)
    options = [] if family.wheels else ['--system-site-packages']
    command = [python, '-m', 'venv', *options, str(family.venv)]
    environment = clean_environment(family)
    if subprocess.run(command, capture_output=True, env=environment).returncode == 0:
        _upgrade_pip(family)
        return
    shutil.rmtree(family.venv, ignore_errors=True)
    bare = commands.run(
        [*command, '--without-pip'], environment, family.root, family.log / 'setup-venv.log'
    )
    if bare.code:
        raise SetupError(
            f'{python} cannot create a virtual environment:\n{bare.tail()}', _INSTALL_VENV
        )
    _fetch_pip(family)


def _fetch_pip(family: Family) -> None:
    """Install pip from its own wheel, which runs as it is: `python pip.whl/pip install`."""
    try:
        with urllib.request.urlopen(_PIP_RELEASE, timeout=60) as answer:
            files = json.load(answer)['urls']
        wheel = next(file for file in files if file['packagetype'] == 'bdist_wheel')
        # a mirror may give addresses relative to its own
        address = urllib.parse.urljoin(_PIP_RELEASE, wheel['url'])
        with urllib.request.urlopen(address, timeout=60) as answer:
            content = answer.read()
    except (urllib.error.URLError, TimeoutError, ValueError, KeyError, StopIteration) as error:
        raise SetupError(
            f'This Python brings no pip, and pip could not be fetched: {error}', _INSTALL_VENV
        ) from error
    if hashlib.sha256(content).hexdigest() != wheel['digests']['sha256']:
        raise SetupError('The pip that was fetched is damaged.', _INSTALL_VENV)
    path = family.venv / wheel['filename']
    path.write_bytes(content)
    outcome = commands.run(
        [family.python, path / 'pip', 'install', '--no-index', path],
        clean_environment(family),
        family.root,
        family.log / 'setup-venv.log',
    )
    path.unlink()
    if outcome.code:
        raise SetupError(f'pip could not install itself:\n{outcome.tail()}', _INSTALL_VENV)


def _upgrade_pip(family: Family) -> None:
    """Take a current pip: it needs half the time of the one that Debian 12 brings.

    That may fail, on a mirror without it for example: then the old one does it too, or says why
    nothing can be installed.
    """
    commands.run(
        [*_pip_install(family), '--upgrade', 'pip>=24,<27'],
        clean_environment(family),
        family.root,
        family.log / 'setup-venv.log',
    )


def _pip_install(family: Family) -> list[str | Path]:
    """Return the beginning of each installation."""
    return [
        family.python,
        '-m',
        'pip',
        'install',
        '--disable-pip-version-check',
        '--no-warn-script-location',
        '--progress-bar',
        'off',
    ]


def install(family: Family) -> None:
    """Install all requirements with one resolution, so that they cannot undo each other."""
    # what is imported is compiled then; most of it never is
    command = [*_pip_install(family), '--no-compile']
    for path in family.requirements:
        command += ['-r', path]
    log = family.log / 'setup-pip.log'
    outcome = commands.run(command, clean_environment(family), family.root, log)
    if outcome.code:
        what, next_step = explain(outcome.output)
        raise SetupError(f'{what} pip said:\n{outcome.tail(8)}\n    (all of it: {log})', next_step)


def explain(output: str) -> tuple[str, str]:
    """Return the fault behind pip's output and what to do about it."""
    for signs, what, next_step in _PIP_FAULTS:
        if any(sign in output for sign in signs):
            return what, next_step
    return 'The packages could not be installed.', 'read the log, then run make setup again'


def ask(family: Family, code: str) -> str:
    """Evaluate a short program in the environment and return what it prints."""
    answer = subprocess.run(
        [str(family.python), '-c', code],
        env=clean_environment(family),
        text=True,
        capture_output=True,
    )
    if answer.returncode:
        raise SetupError(
            f'The environment {family.venv} does not work:\n{answer.stderr}',
            'make clean, then make setup',
        )
    return answer.stdout.strip()
