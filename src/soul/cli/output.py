"""A console whose reader may go away, as `head` does."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console


def _nothing() -> None:
    pass


class Output(Console):
    """Prints as long as somebody reads; then says so once and is silent.

    A pipe that nobody reads any more is no error of hers. Whatever thread notices it, nothing is
    raised there.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        #: Called once, by the thread that noticed.
        self.lost: Callable[[], None] = _nothing
        self._gone = False

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, unless nobody reads."""
        try:
            super().print(*objects, **options)
        except OSError:  # also a terminal that was closed, or a full disk behind a redirection
            self.on_broken_pipe()

    def on_broken_pipe(self) -> None:
        """Be silent from now on."""
        if self._gone:
            return
        self._gone = self.quiet = True
        with contextlib.suppress(OSError, ValueError):  # no real file, or closed already
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())  # or Python complains when it flushes at its end
            os.close(nowhere)
        self.lost()
