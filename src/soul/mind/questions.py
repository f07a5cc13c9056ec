"""Questions to other organs as awaitables."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

from soul.organ import Answer, Ask

#: How much longer than the shell the mind waits, so that the shell's word comes first, s.
SLACK = 1.0


class Questions:
    """Pairs asks with their answers; on the mind's event loop."""

    def __init__(self, emit: Callable[[Any], None]) -> None:
        self._emit = emit
        self._numbers = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[Any]] = {}

    async def ask(self, to: str, request: Any, seconds: float) -> Any:
        """Ask; None if there is no answer in time."""
        token = f'q{next(self._numbers)}'
        future = self._waiting[token] = asyncio.get_running_loop().create_future()
        self._emit(Ask(to, request, token, seconds, patience=seconds))
        try:
            return await asyncio.wait_for(future, seconds + SLACK)
        except asyncio.TimeoutError:
            return None
        finally:
            self._waiting.pop(token, None)

    def answered(self, answer: Answer) -> None:
        """Take an answer."""
        future = self._waiting.get(answer.token)
        if future is not None and not future.done():
            future.set_result(None if answer.failure else answer.answer)
