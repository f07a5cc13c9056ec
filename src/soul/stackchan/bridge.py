"""A port to a body behind another protocol, on a thread with an event loop of its own.

Nothing the organ calls ever blocks. As with a serial port, what happens is handed over by
`deliver`, which must be thread-safe, and what belongs to an earlier opening is void.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from soul.stackchan.emulated import About, Emulated
from soul.stackchan.link import LinkEvent, Lost, Received, Up
from soul.stackchan.race import first_to_end
from soul.wire import schema

_BEAT = 0.5  # s


class Bridge:
    """A port that can be opened again and again; what is behind it, a subclass knows."""

    def __init__(self, name: str, deliver: Callable[[LinkEvent], None]) -> None:
        self._deliver = deliver
        self._mutex = threading.Lock()
        self._openings = 0
        self._wanted = 0  # the opening that is wanted; 0: none
        self.device: Emulated | None = None
        self._serving: asyncio.Task[None] | None = None
        self._acts: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    # --- the driver's side ----------------------------------------------------------------

    def open(self) -> None:
        """Begin to open it."""
        with self._mutex:
            self._openings += 1
            self._wanted = opening = self._openings
        self._loop.call_soon_threadsafe(self._begin, opening)

    def close(self) -> None:
        """Close it; what it still tells is void."""
        with self._mutex:
            self._wanted = 0
        self._loop.call_soon_threadsafe(self._end)

    def is_current(self, event: LinkEvent) -> bool:
        """Whether `event` belongs to the opening that is wanted."""
        with self._mutex:
            return event.opening == self._wanted

    def write(self, data: bytes, urgent: bool = False) -> None:
        """Give bytes to the body's side; nothing waits there, so all are urgent."""
        with self._mutex:
            opening = self._wanted
        self._loop.call_soon_threadsafe(self._feed, opening, data)

    def shut_down(self) -> None:
        """Close it and join the thread; nothing is delivered afterwards."""
        with self._mutex:
            self._wanted = 0
        asyncio.run_coroutine_threadsafe(self._finish(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # --- the body's side, for a subclass --------------------------------------------------

    async def meet(self) -> About:
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
            When it is gone; says why.
        """
        raise NotImplementedError

    async def perform(self, command: schema.Command) -> None:
        """Do what has been acknowledged; say `done` of what takes time.

        Raises
        ------
        OSError
            If the body is gone and nobody knows what became of it.
        """
        raise NotImplementedError

    async def halt(self) -> None:
        """Stop the body, after all that was being done has been cancelled."""

    async def leave(self) -> None:
        """Let go of the body: sockets and the like."""

    async def release(self) -> None:
        """Let go of what outlives a body, for ever."""

    def say(self, kind: str, **fields: Any) -> None:
        """Say something as the device."""
        if self.device is not None and self.device.joined:
            self.device.say(kind, **fields)

    # --- the loop's thread ----------------------------------------------------------------

    def _begin(self, opening: int) -> None:
        before = self._serving
        self._serving = self._loop.create_task(self._serve(opening, before))

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
        try:
            about = await self.meet()
            self.device = Emulated(
                about,
                lambda data: self._deliver(Received(opening, data)),
                self._start,
                self._stop,
            )
            self._deliver(Up(opening))
            self.device.greet()
            await self._first(self.stay(), self._beat())
        except OSError as error:
            self._deliver(Lost(opening, str(error.strerror or error)))
        finally:
            self.device = None
            await self._cancel_acts()
            await self.leave()

    async def _first(self, *coroutines: Coroutine[Any, Any, None]) -> None:
        """Run until one of them ends, or an act finds the body gone."""
        self._gone: asyncio.Future[None] = self._loop.create_future()
        await first_to_end(coroutines, [self._gone])

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            if self.device is not None:
                self.device.beat()

    def _feed(self, opening: int, data: bytes) -> None:
        if self.device is not None and opening == self._openings:
            self.device.feed(data)

    def _start(self, command: schema.Command) -> None:
        task = self._loop.create_task(self._act(command))
        self._acts.add(task)
        task.add_done_callback(self._acts.discard)

    async def _act(self, command: schema.Command) -> None:
        try:
            await self.perform(command)
        except OSError as error:
            if not self._gone.done():
                self._gone.set_exception(error)

    def _stop(self) -> None:
        for task in self._acts:
            task.cancel()
        halting = self._loop.create_task(self.halt())
        self._acts.add(halting)
        halting.add_done_callback(self._acts.discard)

    async def _cancel_acts(self) -> None:
        acts = list(self._acts)
        for task in acts:
            task.cancel()
        if acts:
            await asyncio.wait(acts)


async def quietly(coroutine: Coroutine[Any, Any, Any], seconds: float) -> None:
    """Do something that may fail or hang without harm, at the end of everything."""
    with contextlib.suppress(OSError, asyncio.TimeoutError):
        await asyncio.wait_for(coroutine, seconds)
