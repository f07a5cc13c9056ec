"""Find a Python that can run soul.

Read by whatever `python3` is, however old: no syntax here that Python 3.6 does not know.
"""

import json
import os
import shutil
import subprocess
import sys

from soulenv.report import SetupError

OLDEST = (3, 10)
NEWEST = (3, 14)

# Asked of each candidate in its own process; a pyenv shim without its version simply fails.
PROBE = """
import importlib.util, json, os, platform, struct, sys, sysconfig
print(json.dumps({
    'path': sys.executable,
    'version': list(sys.version_info[:2]),
    'implementation': sys.implementation.name,
    'bits': struct.calcsize('P') * 8,
    'machine': platform.machine(),
    'headers': os.path.exists(os.path.join(sysconfig.get_paths()['include'], 'Python.h')),
    'rclpy': importlib.util.find_spec('rclpy') is not None,
}))
"""


def probe(command):
    """Return what the interpreter says about itself, or None if it does not run."""
    try:
        answer = subprocess.run(
            [command, '-c', PROBE],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=30,
            check=True,
        )
        return json.loads(answer.stdout.decode())
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def candidates(first=None):
    """Commands to try, best first: the one asked for, `python3`, then the tested versions."""
    if first:
        return [first]
    names = ['python3'] + ['python3.%d' % minor for minor in (12, 11, 13, 10, 14)]
    found = [sys.executable] + [shutil.which(name) for name in names] + ['/usr/bin/python3']
    unique = []
    for path in found:
        if path and path not in unique and os.path.exists(path):
            unique.append(path)
    return unique


def fault(facts, needs_rclpy=False):
    """Say why this interpreter cannot be used, or return None if it can."""
    version = tuple(facts['version'])
    if facts['implementation'] != 'cpython':
        return 'is {}, not CPython'.format(facts['implementation'])
    if not OLDEST <= version <= NEWEST:
        return 'is Python {}.{}'.format(*version)
    if facts['bits'] != 64:
        return 'is a 32 bit build'
    if needs_rclpy and not facts['rclpy']:
        return 'cannot import rclpy'
    if not facts['headers']:
        return 'has no Python.h (package python{}.{}-dev)'.format(*version)
    return None


def choose(probed, needs_rclpy=False):
    """Return the first suitable of ``[(command, facts or None), ...]``.

    Raises
    ------
    SetupError
        None is suitable; names each candidate with its fault.
    """
    faults = []
    for command, facts in probed:
        if facts is None:
            faults.append('{} does not run'.format(command))
            continue
        reason = fault(facts, needs_rclpy)
        if reason is None:
            return facts
        faults.append('{} {}'.format(command, reason))
    versions = '{}.{} to {}.{}'.format(*(OLDEST + NEWEST))
    where = 'with rclpy of the sourced ROS 2 installation ' if needs_rclpy else ''
    raise SetupError(
        'No suitable Python: soul needs CPython {} {}and its header files. Tried:\n  - {}'.format(
            versions, where, '\n  - '.join(faults) or 'nothing found on PATH'
        ),
        'install one (Debian, Ubuntu: sudo apt install python3 python3-dev python3-venv), '
        'or name one: make setup PYTHON=/path/to/python3.12',
    )


def find(first=None, needs_rclpy=False):
    """Probe candidates in turn and stop at the first suitable one."""
    probed = []
    for command in candidates(first):
        facts = probe(command)
        probed.append((command, facts))
        if facts is not None and fault(facts, needs_rclpy) is None:
            break
    return choose(probed, needs_rclpy)
