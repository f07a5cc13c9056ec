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

from soul import loading

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


body_twin = _starts('soul.body.node')
composition = _starts('soul.bringup')
field = _starts('soul.field.node')
guard = _starts('soul.guard.node')
heart = _starts('soul.heart.node')
mind = _starts('soul.mind.node')
mock_body = _starts('soul.mock_body.node')
stackchan = _starts('soul.stackchan.node')


def soul() -> None:
    """Run the `soul` command."""
    for number in _SIGNALS:
        signal.signal(number, _leave)
    main = importlib.import_module('soul.cli.main').main
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    main()
