"""Write down the environment once, so that entering it costs nothing.

Sourcing colcon's `setup.bash` starts Python several times. Setup does it once and freezes the
result into `<venv>/soul_env.sh`, which `tools/env.sh` reads in a few milliseconds.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from soulenv import venv, workspace
from soulenv.families import Family
from soulenv.report import SetupError

# Lists of directories that are put before what the user has; everything else is set.
LISTS = (
    'PATH',
    'LD_LIBRARY_PATH',
    'PYTHONPATH',
    'AMENT_PREFIX_PATH',
    'CMAKE_PREFIX_PATH',
    'COLCON_PREFIX_PATH',
)

_PREFIX_SETUP = """\
# written by tools/setup_env.py: makes this venv a ROS 2 prefix that install/setup.bash chains to
{lines}
"""

_LAUNCHER = """\
#!/bin/sh
# written by tools/setup_env.py: soul in its environment, from any shell
_soul_here={env}
SOUL_FAMILY={family}
. "$_soul_here" || exit 1
exec {python} -c '
import sys
sys.argv[0] = "soul"
from soul.cli.main import main
sys.exit(main())' "$@"
"""


def added(before: str, after: str) -> list[str]:
    """Return the directories that a list gained, in order, each once."""
    old = before.split(':')
    return [part for part in dict.fromkeys(after.split(':')) if part and part not in old]


def colcon_variables(family: Family) -> dict[str, str]:
    """Source the finished workspace in a bare shell and return all its variables."""
    variables = workspace.build_environment(family)
    local_setup = family.install / 'local_setup.sh'
    script = (
        f'COLCON_CURRENT_PREFIX={shlex.quote(str(family.install))}; '
        f'. {shlex.quote(str(local_setup))} && env -0'
    )
    answer = subprocess.run(
        ['/bin/sh', '-c', script], env=variables, capture_output=True, text=True
    )
    if answer.returncode:
        raise SetupError(
            f'{local_setup} cannot be sourced:\n{answer.stderr}', 'make clean, then make setup'
        )
    return dict(line.split('=', 1) for line in answer.stdout.split('\0') if '=' in line)


def lists(family: Family) -> dict[str, list[str]]:
    """Return for each list variable the directories of this environment."""
    after = colcon_variables(family)
    before = venv.clean_environment(family)
    found = {
        name: added(
            '' if family.wheels and name != 'PATH' else before.get(name, ''), after.get(name, '')
        )
        for name in LISTS
    }
    own_bin = str(family.venv / 'bin')
    # colcon's build directory only links to the sources: the real place reads better in a trace
    found['PYTHONPATH'].insert(0, str(family.root / 'src'))
    found['PATH'] = [own_bin, *(part for part in found['PATH'] if part != own_bin)]
    return found


def settings(family: Family) -> dict[str, str]:
    """Return the variables that are set rather than extended."""
    fixed = {'VIRTUAL_ENV': str(family.venv)}
    if family.wheels:
        fixed.update(
            ROS_DISTRO=family.distro,
            ROS_VERSION='2',
            ROS_PYTHON_VERSION='3',
            # the list below holds what the wheels would else restart Python for
            _ROS_WHEELS_BOOTSTRAP_COMPLETE='1',
        )
    return fixed


def render(directories: dict[str, list[str]], fixed: dict[str, str]) -> str:
    """Return the text of the frozen environment, for `tools/env.sh`."""
    lines = ['# written by tools/setup_env.py, read by tools/env.sh']
    lines += [f'export {name}={shlex.quote(value)}' for name, value in sorted(fixed.items())]
    lines += [
        f'_soul_prepend {name} {shlex.quote(":".join(parts))}'
        for name, parts in directories.items()
        if parts
    ]
    return '\n'.join(lines) + '\n'


def write_prefix(family: Family) -> None:
    """Make the venv a prefix that colcon's own `install/setup.bash` can chain to."""

    def prepend(name: str, parts: list[str]) -> str:
        return f'export {name}={shlex.quote(":".join(parts))}${{{name}:+:${name}}}'

    lines = [
        prepend('PATH', [str(family.venv / 'bin')]),
        prepend('LD_LIBRARY_PATH', workspace.library_directories(family)),
        prepend('AMENT_PREFIX_PATH', [str(family.venv)]),
        prepend('CMAKE_PREFIX_PATH', [str(family.venv)]),
    ]
    lines += [
        f'export {name}={shlex.quote(value)}' for name, value in sorted(settings(family).items())
    ]
    for ending in ('sh', 'bash', 'zsh'):
        path = family.venv / f'local_setup.{ending}'
        path.write_text(_PREFIX_SETUP.format(lines='\n'.join(lines)))


def write_environment(family: Family) -> None:
    """Freeze the environment of the finished workspace."""
    (family.venv / 'soul_env.sh').write_text(render(lists(family), settings(family)))


def write_launcher(family: Family) -> None:
    """Put `soul` beside the interpreter, to be called without any preparation."""
    path = family.venv / 'bin' / 'soul'
    path.write_text(
        _LAUNCHER.format(
            family=shlex.quote(family.distro),
            env=shlex.quote(str(family.root / 'tools/env.sh')),
            python=shlex.quote(str(family.python)),
        )
    )
    path.chmod(0o755)


def environment_file(family: Family) -> Path:
    """Return the file that exists once the environment is finished."""
    return family.venv / 'soul_env.sh'
