"""Tools that other packages bring: entry points of the group `soul.tools`.

An entry point is a :class:`soul.mind.tools.base.Tool`, or a function without arguments that
returns one or several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from soul.core.organ import StartRefused
from soul.mind.tools.base import Tool

GROUP = 'soul.tools'


class BadPlugin(StartRefused):
    """A package's tools cannot be used, and why."""


def load(found: Iterable[EntryPoint] | None = None) -> list[Tool[Any]]:
    """Load the tools of all installed packages, in the order of their names.

    Raises
    ------
    BadPlugin
        Naming the entry point and what is wrong with it.
    """
    points = entry_points(group=GROUP) if found is None else found
    tools: list[Tool[Any]] = []
    for point in sorted(points, key=lambda point: point.name):
        try:
            made: Any = point.load()
        except (ImportError, AttributeError) as error:
            raise BadPlugin(f'{GROUP} {point.name} = {point.value}: {error}') from error
        if isinstance(made, Callable) and not isinstance(made, Tool):  # type: ignore[arg-type]
            made = made()
        several = [made] if isinstance(made, Tool) else list(made)
        wrong = next((one for one in several if not isinstance(one, Tool)), None)
        if wrong is not None:
            raise BadPlugin(f'{GROUP} {point.name} = {point.value}: {wrong!r} is no Tool')
        tools += several
    return tools
