"""What she answers, for the coroutines of a program that wait for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from soul.signals import Reply


class Replies:
    """Hands each of her replies to whoever listens at that moment."""

    def __init__(self) -> None:
        self._queues: list[asyncio.Queue[Reply | None]] = []

    def hear(self, reply: Reply) -> None:
        """Hand a reply on."""
        for queue in self._queues:
            queue.put_nowait(reply)

    def end(self) -> None:
        """Let whoever listens now know that nothing follows."""
        for queue in self._queues:
            queue.put_nowait(None)

    @contextlib.contextmanager
    def listening(self) -> Iterator[asyncio.Queue[Reply | None]]:
        """Yield a queue of the replies from now on; None in it: nothing follows."""
        queue: asyncio.Queue[Reply | None] = asyncio.Queue()
        self._queues.append(queue)
        try:
            yield queue
        finally:
            self._queues.remove(queue)

    async def stream(self) -> AsyncIterator[Reply]:
        """Yield the replies from now on, until nothing follows."""
        with self.listening() as queue:
            while (reply := await queue.get()) is not None:
                yield reply
