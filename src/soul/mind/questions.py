"""OpenQuestions to other organs as awaitables."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Collection
from typing import Any

from soul.core.organ import Answer, Ask
from soul.mind.ports import NoAnswer

#: How much longer than the shell the mind waits, so that the shell's word comes first, s.
SLACK = 1.0


class OpenQuestions:
    """Pairs asks with their answers; on the mind's event loop."""

    def __init__(self, emit: Callable[[Any], None]) -> None:
        self._emit = emit
        self._numbers = itertools.count(1)
        self._waiting: dict[str, tuple[str, asyncio.Future[Any]]] = {}

    async def ask(self, to: str, request: Any, seconds: float) -> Any:
        """Ask.

        Raises
        ------
        NoAnswer
            If there is none in time.
        """
        token = f'q{next(self._numbers)}'
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[token] = (to, future)
        self._emit(Ask(to, request, token, seconds, patience=seconds))
        try:
            return await asyncio.wait_for(future, seconds + SLACK)
        except asyncio.TimeoutError:
            raise NoAnswer(to, lost=True) from None
        finally:
            self._waiting.pop(token, None)

    def answered(self, answer: Answer) -> None:
        """Hand an answer to whoever waits for its token."""
        _, future = self._waiting.get(answer.token, ('', None))
        if future is None or future.done():
            return
        if answer.answer is None:
            future.set_exception(NoAnswer(answer.to, lost=answer.failure == 'lost'))
        else:
            future.set_result(answer.answer)

    def lost(self, servers: Collection[str]) -> None:
        """Whoever was to answer is another one now: what was asked of the old one is lost."""
        for to, future in self._waiting.values():
            if to in servers and not future.done():
                future.set_exception(NoAnswer(to, lost=True))
