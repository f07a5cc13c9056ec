"""Where every process of hers begins: it ends quietly also while it is still being loaded.

Loading takes a second. A Ctrl-C within it found Python's own handler, and each process of a launch
printed a traceback. Nothing has begun then, so there is nothing to end but the process.
"""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Callable
from types import FrameType

from soul import graph, loading

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(0)


def _starts(module: str) -> Callable[[], int]:
    def main() -> int:
        for number in _SIGNALS:
            signal.signal(number, _leave)
        loading.begin()
        begin: Callable[[], int] = importlib.import_module(module).main
        return begin()

    return main


composition = _starts('soul.bringup')


def __getattr__(name: str) -> Callable[[], int]:
    """Return what runs a node of the table by its name."""
    for entry in graph.NODES:
        if entry.name == name:
            return _starts(entry.module)
    raise AttributeError(f'there is no executable {name!r}')


def soul() -> None:
    """Run the `soul` command."""
    for number in _SIGNALS:
        signal.signal(number, _leave)
    main = importlib.import_module('soul.cli.main').main
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    main()
