"""What a process is given on its command line, checked before anything lives.

rcl says at which line of its own source it gave up, and what it does not know it passes over.
Here a person reads which value is wrong, where it stands and what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
import yaml
from rclpy._rclpy_pybind11 import RCLError, RCLInvalidROSArgsError, UnknownROSArgsError
from rclpy.context import Context
from rclpy.exceptions import InvalidNamespaceException
from rclpy.signals import SignalHandlerOptions
from rclpy.validate_namespace import validate_namespace

from soul.core.errors import StartRefused
from soul.core.interfaces import EXIT_REFUSED
from soul.text.nearest import nearest

LOG_LEVELS = ('debug', 'info', 'warn', 'error', 'fatal')
#: Parameters that every ROS node understands.
STANDARD = ('use_sim_time', 'start_type_description_service')
STANDARD_PREFIXES = ('qos_overrides.',)
_VALUES = 'ros__parameters'
EXIT_HELPED = 0


@dataclass(frozen=True)
class ParameterSection:
    """Parameters given for the nodes that fit a pattern."""

    source: str  # a file, or an option of the command line
    pattern: str  # as in rcl: * is one name of a path, ** any number of them
    names: tuple[str, ...]
    everybody: bool = False  # whether it names no node

    def fits(self, full_name: str) -> bool:
        """Tell whether the parameters are for a node."""
        pattern = re.escape(self.pattern).replace(r'/\*\*', r'(/\w+)*').replace(r'\*', r'\w+')
        return re.fullmatch(pattern, full_name) is not None


def _without_ros(arguments: Sequence[str]) -> list[str]:
    """Return what does not stand between `--ros-args` and `--`.

    rclpy's own way parses the rest, too, and has words of its own for what is wrong in it.
    """
    own: list[str] = []
    ros = False
    for argument in arguments:
        if ros:
            ros = argument != '--'
        elif argument == '--ros-args':
            ros = True
        else:
            own.append(argument)
    return own


def stray_arguments(arguments: Sequence[str]) -> tuple[int, str]:
    """Answer what a node's executable is given before `--ros-args`; it takes nothing there.

    Returns
    -------
    tuple
        Exit code and text, of which an empty one means: go on.
    """
    own = _without_ros(arguments)
    name, others = Path(own[0] if own else 'node').name, own[1:]
    usage = (
        f'usage: {name} [--ros-args [-p PARAMETER:=VALUE] [-r __ns:=/NAMESPACE] '
        '[--params-file FILE] [--log-level LEVEL]]\n'
        'It takes no other arguments. Its parameters are explained in config/soul.yaml.'
    )
    if any(argument in ('-h', '--help') for argument in others):
        return EXIT_HELPED, usage
    if others:
        return EXIT_REFUSED, f'{name} takes no argument {others[0]!r:.200}\n{usage}'
    return EXIT_HELPED, ''


def initialise(arguments: Sequence[str], context: Context | None = None) -> None:
    """Begin with ROS.

    Raises
    ------
    StartRefused
        If an argument cannot be used; says which and what is allowed.
    """
    _check(arguments)
    try:
        rclpy.init(
            args=list(arguments), context=context, signal_handler_options=SignalHandlerOptions.NO
        )
    except (RCLError, RCLInvalidROSArgsError, UnknownROSArgsError) as error:
        # "failed to ...: what is wrong, at /its/source.c:12, at ...": the middle is for people
        said = ' '.join(str(error).split())
        said = re.sub(r', at /\S+:\d+', '', said).removeprefix('failed to initialize rcl: ')
        raise StartRefused(f'an argument after --ros-args cannot be used: {said}') from None


def _check(arguments: Sequence[str]) -> None:
    for option, value in _options(arguments):
        if option == '--log-level':
            level = value.rpartition(':=')[2]
            if level.lower() not in LOG_LEVELS:
                raise StartRefused(
                    f'log level is {level!r}, allowed is one of {", ".join(LOG_LEVELS)}'
                )
        elif option in ('-r', '--remap') and value.startswith('__ns:='):
            check_namespace(value.removeprefix('__ns:='))
        elif option == '--params-file':
            list(_in_file(value))


def check_namespace(namespace: str) -> None:
    """Make sure that nodes can live in a namespace.

    Raises
    ------
    StartRefused
        If they cannot.
    """
    try:
        validate_namespace(namespace)
    except InvalidNamespaceException as error:
        why = str(error).splitlines()[0].partition(': ')[2].rstrip(':')
        raise StartRefused(
            f'namespace is {namespace!r}: {why}; allowed are names of letters, digits and _, '
            'none beginning with a digit, joined by /'
        ) from None


def _options(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with their values, as far as they are for ROS."""
    ours = False
    for option, value in zip(arguments, [*arguments[1:], ''], strict=True):
        if option in ('--ros-args', '--'):
            ours = option == '--ros-args'
        elif ours:
            yield option, value


def sections(arguments: Sequence[str]) -> list[ParameterSection]:
    """Collect all parameters that are given.

    Raises
    ------
    StartRefused
        If a file of parameters cannot be read.
    """
    found: list[ParameterSection] = []
    for option, value in _options(arguments):
        if option == '--params-file':
            found += _in_file(value)
        elif option in ('-p', '--param') and ':=' in value:
            node, _, name = value.partition(':=')[0].rpartition(':')
            pattern = f'/**/{node.rpartition("/")[2]}' if node else '/**'
            found.append(ParameterSection(f'{option} {value}', pattern, (name,), not node))
    return found


def _in_file(path: str) -> Iterator[ParameterSection]:
    try:
        text = Path(path).read_text(encoding='utf-8')
        tree = yaml.load(text, getattr(yaml, 'CSafeLoader', yaml.SafeLoader))
    except FileNotFoundError:
        raise StartRefused(f'the parameter file {path}: there is no such file') from None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, 'strerror', '') or str(error)
        raise StartRefused(f'the parameter file {path} cannot be read: {why}') from None
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        where = f', line {mark.line + 1}' if mark else ''
        why = getattr(error, 'problem', '') or 'it cannot be parsed'
        raise StartRefused(f'the parameter file {path}{where} is no valid YAML: {why}') from None
    if tree is None:
        return
    if not isinstance(tree, dict):
        raise StartRefused(
            f'the parameter file {path} is no table: expected is a node name with '
            f'{_VALUES} below it, as in config/soul.yaml'
        )
    yield from _walk(path, tree, '')


def _walk(path: str, tree: Mapping[Any, Any], above: str) -> Iterator[ParameterSection]:
    for key, value in tree.items():
        name = str(key)
        if name == _VALUES:
            if not isinstance(value, dict):
                raise StartRefused(f'the parameter file {path}: {_VALUES} of {above} is no table')
            last = above.rpartition('/')[2]
            yield ParameterSection(
                path, above, tuple(_names(path, value, '')), last in ('*', '**')
            )
        elif isinstance(value, dict):
            yield from _walk(path, value, f'{above}/{name.strip("/")}')
        else:
            raise StartRefused(
                f'the parameter file {path}: {name} stands outside of any {_VALUES}: write it '
                'below a node name, as in config/soul.yaml'
            )


def _names(path: str, tree: Mapping[Any, Any], above: str) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _names(path, value, f'{above}{key}.')
        elif value is None:
            raise StartRefused(f'the parameter file {path}: {above}{key} has no value')
        else:
            yield f'{above}{key}'


def check_names(
    given: Sequence[ParameterSection],
    nodes: Mapping[str, Collection[str]],
    family: Collection[str] = (),
) -> list[str]:
    """Find parameters that nobody would ever read.

    Parameters
    ----------
    nodes
        The nodes of this process by their full names, each with its parameters.
    family
        Plain names of all nodes that may belong to the graph, also those that do not run now;
        empty: unknown, and then nothing is said about sections for other nodes.

    Returns
    -------
    list of str
        What may be a mistake, in words.

    Raises
    ------
    StartRefused
        If a node of this process is given a parameter that it does not have.
    """
    doubts: list[str] = []
    wrong: list[str] = []
    anybody = {name for known in nodes.values() for name in known}
    for section in given:
        fitting = [known for node, known in nodes.items() if section.fits(node)]
        known = {name for names in fitting for name in names}
        if not fitting:
            doubts += _stray(section, nodes, family)
            continue
        strange = [n for n in section.names if n not in known and not _standard(n)]
        for name in strange:
            text = f'{section.source}: {_who(section)} {name}{nearest(name, anybody)}'
            typed = section.source.startswith('-')
            (doubts if section.everybody and not typed else wrong).append(text)
    if wrong:
        raise StartRefused('\n'.join(wrong))
    return doubts


def _who(section: ParameterSection) -> str:
    if section.everybody:
        return 'no node here has a parameter'
    return f'{section.pattern.rpartition("/")[2]} has no parameter'


def _standard(name: str) -> bool:
    return name in STANDARD or name.startswith(STANDARD_PREFIXES)


def _stray(
    section: ParameterSection, nodes: Mapping[str, Collection[str]], family: Collection[str]
) -> Iterator[str]:
    """Doubt a section that fits no node here."""
    space, _, last = section.pattern.rpartition('/')
    here = {node.rpartition('/')[0] for node in nodes}
    if section.everybody or not family:
        return
    if last in family:
        if not space and '' not in here:  # the classical one: rcl takes it for the root's node
            yield (
                f'{section.source}: {last} is read by no node here, which live in '
                f'{", ".join(sorted(here))}; write /**/{last}'
            )
        return
    if any(ParameterSection('', section.pattern, ()).fits(f'{h}/{last}') for h in here):
        near = nearest(last, family)
        if near:
            yield f'{section.source}: no node of hers is called {last}{near}'
