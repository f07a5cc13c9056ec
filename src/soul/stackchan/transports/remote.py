"""A body behind another protocol, on a thread with an event loop of its own.

Nothing the driver calls ever blocks. As with a serial port, what happens is handed over by
`deliver`, which must be thread-safe, and what belongs to an earlier opening is void.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

from soul.stackchan.transports.commands import BodyCommand, can
from soul.stackchan.transports.events import (
    Answered,
    BodyAbout,
    BodyAlive,
    LineLogged,
    PortTrouble,
    Told,
)
from soul.stackchan.transports.first_completed import first_completed
from soul.stackchan.transports.link import Broke, LinkNews, Lost, Met, Spoke

_BEAT = 0.5  # s


class FellAsleep(ConnectionResetError):
    """The body has left as it does when nobody needs it; it comes back when it is woken."""


class CameAnew(ConnectionResetError):
    """The same body is there by another line: it is not lost."""


class RemoteBody:
    """A body that can be looked for again and again; how it is reached, a subclass knows.

    It is a :class:`~soul.stackchan.transports.direct_session.DirectBody`.
    """

    def __init__(self, name: str, deliver: Callable[[LinkNews], None]) -> None:
        self._deliver = deliver
        self._openings = 0  # counted on the driver's thread
        self._wanted = 0  # the opening that is wanted; 0: none
        # Only on the loop's thread:
        self._serves = 0  # the opening that it is at
        self._here: BodyAbout | None = None  # who is there
        self._met = 0.0  # since when, monotonic s
        self._serving: asyncio.Task[None] | None = None
        self._acts: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    # --- the driver's side ----------------------------------------------------------------

    def open(self) -> int:
        """Begin to look for the body; returns the number of this opening, from 1."""
        self._openings += 1
        self._wanted = self._openings
        self._loop.call_soon_threadsafe(self._begin, self._wanted)
        return self._wanted

    def close(self) -> None:
        """Leave it; what it still tells is void."""
        self._wanted = 0
        self._loop.call_soon_threadsafe(self._end)

    def perform(self, id: str, command: BodyCommand) -> None:
        """Let the body that is there do something; it is acknowledged when it is begun."""
        self._loop.call_soon_threadsafe(self._start, self._wanted, id, command)

    def halt(self) -> None:
        """Stop everything; nothing waits there, so it is at once."""
        self._loop.call_soon_threadsafe(self._stop, self._wanted)

    def shut_down(self) -> None:
        """Leave the body and join the thread; nothing is delivered afterwards."""
        self._wanted = 0
        asyncio.run_coroutine_threadsafe(self._finish(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # --- the body's side, for a subclass --------------------------------------------------

    async def meet(self) -> BodyAbout:
        """Wait until the body is there and say who it is.

        Raises
        ------
        OSError
            If it is not there; says why.
        """
        raise NotImplementedError

    async def stay(self) -> None:
        """Be with the body until it is gone.

        Raises
        ------
        OSError
            When it is gone; says why. CameAnew: it is there by another line.
        """
        raise NotImplementedError

    async def meet_again(self) -> BodyAbout:
        """Say who came anew; waits for nobody.

        Raises
        ------
        OSError
            If it is gone meanwhile; says why.
        """
        raise NotImplementedError

    async def act(self, id: str, command: BodyCommand) -> None:
        """Do what has been acknowledged; tell `ActEnded` of what takes time.

        Raises
        ------
        OSError
            If the body is gone and nobody knows what became of it.
        """
        raise NotImplementedError

    async def freeze(self) -> None:
        """Stop the body, after all that was being done has been cancelled."""

    async def leave(self) -> None:
        """Let go of the body: sockets and the like."""

    async def release(self) -> None:
        """Let go of what outlives a body, for ever."""

    def tell(self, said: Told | Answered) -> None:
        """Tell the driver something, if the body is there."""
        if self._here is not None:
            up = int(1000.0 * (time.monotonic() - self._met))
            self._deliver(Spoke(self._serves, said, up))

    def log(self, line: LineLogged | PortTrouble) -> None:
        """Tell the driver a line for people, also while no body is there."""
        self._deliver(Spoke(self._serves, line, 0))

    # --- the loop's thread ----------------------------------------------------------------

    def _begin(self, opening: int) -> None:
        before = self._serving
        self._serving = self._loop.create_task(self._serve(opening, before))
        self._serving.add_done_callback(lambda task: self._checked(opening, task))

    def _checked(self, opening: int, task: asyncio.Task[None]) -> None:
        # Without this a bug would be silence: no body, and nobody says why.
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._deliver(Broke(opening, error))

    def _end(self) -> None:
        if self._serving is not None:
            self._serving.cancel()

    async def _finish(self) -> None:
        self._end()
        if self._serving is not None:
            await asyncio.wait([self._serving])
        await self.release()

    async def _serve(self, opening: int, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            before.cancel()
            await asyncio.wait([before])
        self._serves = opening
        try:
            about = await self.meet()
            while True:
                self._met = time.monotonic()
                self._here = about
                self._deliver(Met(opening, about))
                with contextlib.suppress(CameAnew):
                    await self._first(self.stay(), self._beat())
                await self._let_go()
                about = await self.meet_again()
        except OSError as error:
            asleep = isinstance(error, FellAsleep)
            self._deliver(Lost(opening, str(error.strerror or error), asleep))
        finally:
            await self._let_go()

    async def _let_go(self) -> None:
        self._here = None
        await self._cancel_acts()
        await self.leave()

    async def _first(self, *coroutines: Coroutine[Any, Any, None]) -> None:
        """Run until one of them ends, or an act finds the body gone."""
        self._gone: asyncio.Future[None] = self._loop.create_future()
        try:
            await first_completed(coroutines, [self._gone])
        finally:  # what an act finds out from now on is no news
            if self._gone.done():
                self._gone.exception()
            self._gone.cancel()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            self.tell(BodyAlive())

    def _is_there(self, opening: int) -> bool:
        return self._here is not None and opening == self._serves

    def _start(self, opening: int, id: str, command: BodyCommand) -> None:
        if not self._is_there(opening):
            return  # the driver is about to learn that it is gone
        assert self._here is not None
        if not can(self._here.capabilities, command):
            self.tell(Answered(id, 'nack', 'unsupported'))
            return
        self.tell(Answered(id, 'ok'))
        task = self._loop.create_task(self._act(id, command))
        self._acts.add(task)
        task.add_done_callback(self._acts.discard)

    async def _act(self, id: str, command: BodyCommand) -> None:
        try:
            await self.act(id, command)
        except OSError as error:
            if not self._gone.done():
                self._gone.set_exception(error)

    def _stop(self, opening: int) -> None:
        if not self._is_there(opening):
            return
        for task in self._acts:
            task.cancel()
        halting = self._loop.create_task(self._freeze())
        self._acts.add(halting)
        halting.add_done_callback(self._acts.discard)

    async def _freeze(self) -> None:
        with contextlib.suppress(OSError):  # it is gone, which `stay` finds out
            await self.freeze()

    async def _cancel_acts(self) -> None:
        acts = list(self._acts)
        for task in acts:
            task.cancel()
        if acts:
            await asyncio.wait(acts)
