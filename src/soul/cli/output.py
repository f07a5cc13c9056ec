"""The one border to the terminal: nothing that anybody said is markup or moves the cursor.

Whatever a command prints goes through here. Texts are printed as they are, less what a terminal
would take for an order; a style is given beside a text, never within it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from soul.text.printable import printable


def _nothing() -> None:
    pass


class Output(Console):
    """Prints as long as somebody reads; then says so once and is silent.

    A pipe that nobody reads any more is no error of hers. Whatever thread notices it, nothing is
    raised there.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{'markup': False, 'emoji': False, 'highlight': False, **options})
        #: Called once, by the thread that noticed.
        self.lost: Callable[[], None] = _nothing
        self._gone = False

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, unless nobody reads."""
        try:
            super().print(*objects, **options)
        except OSError:  # also a terminal that was closed, or a full disk behind a redirection
            self.on_broken_pipe()

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render, and clean every piece of text: in tables, panels and Markdown, too."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)

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


def styled(*parts: str | tuple[str, str]) -> Text:
    """Put a line together of texts and of texts with a style: `('she', 'bold magenta')`."""
    clean = [
        printable(part) if isinstance(part, str) else (printable(part[0]), part[1])
        for part in parts
    ]
    return Text.assemble(*clean)


def write(text: str, file: IO[str] | None = None) -> None:
    """Write lines as they are, neither wrapped nor styled, for other programs to read.

    Raises
    ------
    BrokenPipeError
        If nobody reads any more.
    """
    print(printable(text), file=file or sys.stdout, flush=True)
