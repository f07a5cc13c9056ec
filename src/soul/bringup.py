"""The node table: which organs there are and in what order. Composition and launch read it."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from soul import loading

if TYPE_CHECKING:
    from soul.ros.organ import OrganSpec
    from soul.ros.runner import Runner


@dataclass(frozen=True)
class Entry:
    """One node of the graph."""

    executable: str  # also the node's name
    module: str
    managed: bool = False


#: In order of their start; they stop the other way round, hardware first.
ORGANS = (
    Entry('guard', 'soul.guard.node'),
    Entry('field', 'soul.field.node'),
    Entry('heart', 'soul.heart.node'),
    Entry('body_twin', 'soul.body.node'),
    Entry('mind', 'soul.mind.node', managed=True),
)
DRIVER = Entry('stackchan', 'soul.stackchan.node', managed=True)
MOCK = Entry('mock_body', 'soul.mock_body.node')
#: The driver's port parameter for the simulated body.
MOCK_PORT = 'mock'


def entries(use_mock: bool = True, driver: str = 'stackchan') -> list[Entry]:
    """Return the nodes of a graph.

    Parameters
    ----------
    use_mock
        With the simulated body, if there is a driver to talk to it.
    driver
        stackchan, or none for a life without any body of ours.

    Raises
    ------
    ValueError
        If there is no such driver.
    """
    if driver not in ('stackchan', 'none'):
        raise ValueError(f'driver is {driver!r}, allowed is stackchan or none')
    chosen = list(ORGANS)
    if driver == 'none':
        return chosen
    return [*chosen, MOCK, DRIVER] if use_mock else [*chosen, DRIVER]


def specs(chosen: Sequence[Entry]) -> list[OrganSpec[Any]]:
    """Load the organs of a graph."""
    return [importlib.import_module(entry.module).SPEC for entry in chosen]


def parameters(entry: Entry, use_mock: bool) -> dict[str, Any]:
    """Return the parameters that the graph itself decides for a node."""
    return {'port': MOCK_PORT} if use_mock and entry is DRIVER else {}


def description() -> str:
    """Return the body's URDF."""
    from soul.store.shipped import shipped

    return shipped('stackchan.urdf').read_text(encoding='utf-8')


def has_package(name: str) -> bool:
    """Tell whether a ROS package is installed."""
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    try:
        get_package_prefix(name)
    except PackageNotFoundError:
        return False
    return True


def compose(
    use_mock: bool = True,
    driver: str = 'stackchan',
    arguments: Sequence[str] | None = None,
    greeting: Callable[[Runner], None] | None = None,
) -> int:
    """Run all organs in this process, an executor thread each; return the exit code."""
    loading.begin()
    from soul.ros.runner import run  # only here: the table itself needs no ROS

    chosen = entries(use_mock, driver)
    given = {entry.executable: parameters(entry, use_mock) for entry in chosen}
    # Loading takes about as long as looking for a suite that is there already.
    family = [entry.executable for entry in (*ORGANS, DRIVER, MOCK)]
    return run(lambda: specs(chosen), arguments, greeting, given, list(given), family)


def main() -> int:
    """Run the composition: `composition [--no-mock] [--driver D] [--ros-args ...]`."""
    own, ros = sys.argv[1:], []
    if '--ros-args' in own:
        cut = own.index('--ros-args')
        own, ros = own[:cut], own[cut:]
    parser = argparse.ArgumentParser(description='All of soul in one process.')
    parser.add_argument('--no-mock', action='store_true', help='without the simulated body')
    parser.add_argument('--driver', default='stackchan', choices=('stackchan', 'none'))
    chosen = parser.parse_args(own)
    return compose(not chosen.no_mock, chosen.driver, [sys.argv[0], *ros])


if __name__ == '__main__':
    sys.exit(main())
