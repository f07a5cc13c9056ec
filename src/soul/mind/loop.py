"""A private event loop on a thread of its own: rclpy's executors are no asyncio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Protocol


class Loop(Protocol):
    """Runs functions on the mind's event loop."""

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Run a function on the loop; thread-safe."""

    def wait_for(self, coroutine: Any, seconds: float) -> Any:
        """Run a coroutine on the loop and wait for it."""


class LoopThread:
    """An asyncio loop that runs until it is closed.

    Parameters
    ----------
    failed
        Called on the loop's thread with what a function of :meth:`call` raised.
    """

    def __init__(self, name: str, failed: Callable[[Exception], None] | None = None) -> None:
        self.loop = asyncio.new_event_loop()
        self._failed = failed
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.set_exception_handler(self._on_trouble)
        try:
            self.loop.run_forever()
        finally:
            self.loop.close()

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Run a function on the loop; thread-safe."""
        self.loop.call_soon_threadsafe(function, *arguments)

    def _on_trouble(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get('exception')
        # Only of a function that was called stands a handle here; what becomes of tasks and
        # transports is the affair of whoever began them.
        if self._failed is not None and 'handle' in context and isinstance(error, Exception):
            self._failed(error)
        else:
            loop.default_exception_handler(context)

    def wait_for(self, coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
        """Run a coroutine on the loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(seconds)

    def close(self) -> None:
        """End the loop and its thread."""
        if self._thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(5.0)


class SameLoop:
    """The event loop that runs already: for a program that is asyncio itself."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[Any]] = set()

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Run a function on the loop; thread-safe."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def wait_for(self, coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
        """Begin a coroutine; nobody can wait on the loop for the loop itself."""
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def done(self) -> None:
        """Wait for what was begun."""
        if self._tasks:
            await asyncio.wait(self._tasks)
