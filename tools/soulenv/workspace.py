"""Build the colcon workspace: the messages first, then soul over them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from soulenv import commands, stamps
from soulenv.families import Family
from soulenv.report import SetupError
from soulenv.venv import clean_environment

# What soul's package consists of beside its modules. With --symlink-install the modules and
# these files are linked, so that only a new or vanished name, or new metadata, needs a build.
_METADATA = ('package.xml', 'setup.py', 'setup.cfg', 'colcon_defaults.yaml')
_LINKED = ('launch', 'config', 'resource')

_FAST_MESSAGES = Path(__file__).with_name('fast_messages.cmake')
_IDL_CACHE = Path(__file__).with_name('idl_cache')


def message_sources(root: Path) -> list[Path]:
    """Return every file that the messages are generated from."""
    return [path for path in (root / 'src' / 'soul_msgs').rglob('*') if path.is_file()]


def messages_stamp(family: Family, environment_stamp: str) -> dict[str, object]:
    """Return what the messages would be built from now."""
    sources = message_sources(family.root)
    extra = [environment_stamp, *cmake_arguments(), _FAST_MESSAGES.read_text()]
    return {
        'sources': stamps.digest(sources, family.root, extra),
        'names': stamps.names_digest(sources, family.root),
    }


def soul_stamp(family: Family, messages: str) -> dict[str, object]:
    """Return what soul would be built from now."""
    root = family.root
    metadata = [root / name for name in _METADATA if (root / name).is_file()]
    metadata.append(root / 'requirements' / 'runtime.txt')
    linked = [path for folder in _LINKED for path in (root / folder).rglob('*')]
    extra = [messages, stamps.names_digest(linked, root)]
    return {'sources': stamps.digest(metadata, root, extra)}


def cmake_arguments() -> list[str]:
    """Return how to compile the messages quickly.

    No optimisation: measured, -O2 takes a third longer to build and makes no message faster from
    Python, where the time goes to the conversion of single fields.
    """
    arguments = ['-DBUILD_TESTING=OFF', f'-DCMAKE_PROJECT_INCLUDE={_FAST_MESSAGES}']
    ccache = shutil.which('ccache')
    if ccache:
        arguments += [
            f'-DCMAKE_C_COMPILER_LAUNCHER={ccache}',
            f'-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}',
        ]
    return arguments


def build_messages(family: Family) -> None:
    """Build soul_msgs, installed as copies: CMake links a thousand files ten seconds slower."""
    variables = build_environment(family)
    inherited = [variables['PYTHONPATH']] if variables.get('PYTHONPATH') else []
    variables['PYTHONPATH'] = os.pathsep.join([str(_IDL_CACHE), *inherited])
    variables['SOUL_IDL_CACHE'] = str(family.build / '.idl_cache')
    colcon(
        family, variables, ['--packages-select', 'soul_msgs', '--cmake-args', *cmake_arguments()]
    )


def build_soul(family: Family) -> None:
    """Build soul, installed as links, so that an edited module counts at once."""
    colcon(family, build_environment(family), ['--packages-select', 'soul', '--symlink-install'])


def colcon(family: Family, variables: Mapping[str, str], options: Sequence[str]) -> None:
    """Run `colcon build` in the family's directories."""
    command: list[str | Path] = [
        family.python,
        '-m',
        'colcon',
        '--log-base',
        family.log,
        'build',
        '--build-base',
        family.build,
        '--install-base',
        family.install,
        '--base-paths',
        family.root,
        family.root / 'src',
        '--event-handlers',
        'console_direct+',
        'status-',
        'desktop_notification-',
        *options,
    ]
    log = family.log / f'setup-colcon-{options[1]}.log'
    outcome = commands.run(command, variables, family.root, log)
    if outcome.code:
        raise SetupError(
            f'colcon could not build {options[1]}:\n{outcome.tail()}\n    (all of it: {log})',
            'mend what the compiler or colcon names, then make setup; after an update of the '
            'system make clean helps',
        )


def build_environment(family: Family) -> dict[str, str]:
    """Return the variables under which colcon and CMake find the ROS 2 of the family."""
    variables = clean_environment(family)
    # Not the flags of the `make` that called us. Without any, colcon would also limit the load,
    # and a machine that is busy with something else would compile on one core.
    for name in ('MFLAGS', 'MAKELEVEL'):
        variables.pop(name, None)
    variables['MAKEFLAGS'] = f'-j{os.cpu_count() or 1}'
    if not family.wheels:
        return variables
    variables.update(
        AMENT_PREFIX_PATH=str(family.venv),
        CMAKE_PREFIX_PATH=str(family.venv),
        LD_LIBRARY_PATH=os.pathsep.join(library_directories(family)),
        # else each of the thousand short Python runs of rosidl would start itself twice
        _ROS_WHEELS_BOOTSTRAP_COMPLETE='1',
        ROS_DISTRO=family.distro,
        ROS_VERSION='2',
        ROS_PYTHON_VERSION='3',
    )
    return variables


def library_directories(family: Family) -> list[str]:
    """Return where the wheels keep their shared libraries."""
    bundled = sorted(family.venv.glob('lib/python3.*/site-packages/ros_*.libs'))
    return [str(path) for path in [family.venv / 'lib', *bundled] if path.is_dir()]


def forget(family: Family, package: str) -> None:
    """Remove a package's build and install directories: files of vanished sources stay else."""
    for base in (family.build, family.install):
        shutil.rmtree(base / package, ignore_errors=True)


def forget_everything(family: Family) -> None:
    """Remove all that was built against an earlier environment."""
    for base in (family.build, family.install):
        shutil.rmtree(base, ignore_errors=True)
