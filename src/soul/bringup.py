"""The whole graph in one process, and what else it takes to bring her up."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from soul import graph, loading

if TYPE_CHECKING:
    from soul.ros.runner import Runner


def description() -> str:
    """Return the body's URDF."""
    from soul.text.resources import resource

    return resource('stackchan.urdf').read_text(encoding='utf-8')


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
    """Run all organs in this process, an executor thread each; return the exit code.

    Raises
    ------
    ValueError
        If there is no such driver.
    """
    loading.begin()
    from soul.ros.main import run  # only here: the launch file needs none of it

    chosen = graph.entries(use_mock, driver)
    given = {entry.name: graph.parameters(entry, use_mock) for entry in chosen}
    family = [entry.name for entry in graph.NODES]
    # Loading takes about as long as looking for a suite that is there already.
    return run(lambda: graph.specs(chosen), arguments, greeting, given, list(given), family)


def main() -> int:
    """Run the composition: `composition [--no-mock] [--driver D] [--ros-args ...]`."""
    own, ros = sys.argv[1:], []
    if '--ros-args' in own:
        cut = own.index('--ros-args')
        own, ros = own[:cut], own[cut:]
    parser = argparse.ArgumentParser(description='All of soul in one process.')
    parser.add_argument('--no-mock', action='store_true', help='without the simulated body')
    drivers = [entry.name for entry in graph.NODES if entry.role == 'driver']
    parser.add_argument('--driver', default='stackchan', choices=(*drivers, graph.NO_DRIVER))
    chosen = parser.parse_args(own)
    return compose(not chosen.no_mock, chosen.driver, [sys.argv[0], *ros])


if __name__ == '__main__':
    sys.exit(main())
