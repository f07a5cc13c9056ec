"""The graph with something hostile in the hands of her helper process all the time.

`python -m bench.hostile page|pattern [arguments of the composition]`
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import sys
from collections.abc import Callable
from typing import Any

from soul.entry import composition
from soul.mind.confined import Confined, NotDone
from soul.mind.organ import MindOrgan

#: Longest piece of work, s; then the helper is ended and the next one begins.
SECONDS = 1.0
WORK: dict[str, tuple[str, dict[str, Any]]] = {
    'page': (
        'page_text',
        {'content': base64.b64encode(b'<a ' * 400_000).decode(), 'kind': 'text/html'},
    ),
    'pattern': (
        'check',
        {
            'schema': {'properties': {'a': {'type': 'string', 'pattern': '^(a+)+$'}}},
            'arguments': {'a': 'a' * 64 + '!'},
        },
    ),
}


async def work_for_ever(kind: str) -> None:
    """Give it one piece of such work after the other."""
    name, arguments = WORK[kind]
    confined = Confined(SECONDS)
    while True:
        with contextlib.suppress(NotDone):
            await confined.run(name, **arguments)


def begin_with(kind: str, start: Callable[[MindOrgan, float], Any]) -> Any:
    """Make a mind's start that begins it beside her."""
    tasks = []

    def begun(self: MindOrgan, now: float) -> Any:
        self._loop.call(lambda: tasks.append(asyncio.ensure_future(work_for_ever(kind))))
        return start(self, now)

    return begun


if __name__ == '__main__':
    chosen = sys.argv.pop(1)
    MindOrgan.start = begin_with(chosen, MindOrgan.start)  # type: ignore[method-assign]
    sys.exit(composition())
