"""How an organ watches the STOP file: the same for guard, mind and driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soul.core.context import OrganContext
from soul.core.organ import Report
from soul.core.output import Outputs
from soul.store.stop_file import StopFile


def watch_stop_file(
    birth: OrganContext[Any], hear: Callable[[str | None, float], Outputs]
) -> StopFile:
    """Let an organ hear of the STOP file for as long as it lives.

    Parameters
    ----------
    hear
        Called on the organ's thread with what is there (None: nothing) and the time.
    """
    stop_file = StopFile(birth.home.stop_file)

    def changed(content: str | None) -> None:
        birth.inject(lambda now: hear(_newest(stop_file, content), now))

    def say(text: str) -> None:
        birth.inject(lambda now: (Report('warning', text),))

    stop_file.watch(changed, say)
    birth.on_close(stop_file.close)
    return stop_file


def _newest(stop_file: StopFile, content: str | None) -> str | None:
    # News that it has gone may be older than a stop that was ordered since.
    return stop_file.read() if content is None else content
