"""What she answers, for the coroutines of a program that wait for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from soul.signals import Reply


class NotTaken(Exception):
    """A message was not taken; says why."""


class AnswersLater(Exception):
    """She cannot answer now; the message is kept. Says why, and until when if she knows."""


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


async def answer_to(message_id: str, queue: asyncio.Queue[Reply | None]) -> str:
    """Return the final text of her answer to a message.

    Raises
    ------
    AnswersLater
        If she cannot think now, or nothing follows any more.
    """
    while (reply := await queue.get()) is not None:
        if reply.in_reply_to == message_id and not reply.is_final:
            raise AnswersLater(reply.text)
        if reply.in_reply_to == message_id:
            return reply.text
    raise AnswersLater('she rests; the message is kept')
