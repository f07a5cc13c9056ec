"""A wire of TCP that can be cut after any byte of either side."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable


class Proxy:
    """Carries bytes between whoever connects and a port of this machine.

    Parameters
    ----------
    target
        The port behind it, asked for at each connection.
    """

    def __init__(self, target: Callable[[], int]) -> None:
        self.carried = 0  # bytes, both ways
        self.cut_after: int | None = None  # of the same count
        self._target = target
        self._broken = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, '127.0.0.1', 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def _run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(20)

    @property
    def broken(self) -> bool:
        """Whether the wire is cut."""
        return self._broken

    def cut(self) -> None:
        """Cut it: what is connected is gone, and nobody gets through."""
        self._broken = True
        self._loop.call_soon_threadsafe(self._abort)

    def mend(self) -> None:
        """Let everything through again."""
        self.cut_after = None
        self._broken = False

    def close(self) -> None:
        async def end() -> None:
            self._broken = True
            self._abort()
            self._server.close()
            if self._serving:
                await asyncio.wait(self._serving)

        self._run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _abort(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader, writer) -> None:
        task = asyncio.current_task()
        self._serving.add(task)
        self._writers.add(writer)
        onward = None
        try:
            if self._broken:
                return
            there, onward = await asyncio.open_connection('127.0.0.1', self._target())
            self._writers.add(onward)
            await asyncio.gather(self._carry(reader, onward), self._carry(there, writer))
        except OSError:
            pass
        finally:
            for end in (writer, onward):
                if end is not None:
                    self._writers.discard(end)
                    end.transport.abort()
            self._serving.discard(task)

    async def _carry(self, reader, writer) -> None:
        while data := await reader.read(65_536):
            left = len(data) if self.cut_after is None else self.cut_after - self.carried
            data, lost = data[: max(0, left)], len(data) > left
            self.carried += len(data)
            self._broken = self._broken or lost
            writer.write(data)
            with contextlib.suppress(ConnectionError):
                await writer.drain()
            if lost:
                # What has been carried arrives first; only then is the end cut off.
                if writer.can_write_eof():
                    with contextlib.suppress(OSError):
                        writer.write_eof()
                await asyncio.sleep(0.01)
                self._abort()
                return
        writer.transport.abort()
