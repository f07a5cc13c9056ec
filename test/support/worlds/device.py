"""A simulated device on a pty of its own, living on a thread as it would beside the program."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from soul.mock_body.config import MockBodyConfig
from soul.mock_body.mock_body import MockBody
from soul.mock_body.pty import PtySocket

FAST = {'speech_rate': 1000.0, 'speech_pause': 0.05, 'noise': 0.0}


class FakeDevice:
    """A device behind `link`."""

    def __init__(self, link: Path, **config: Any) -> None:
        self.link = link
        self._queue: queue.SimpleQueue[Callable[[float], Any] | None] = queue.SimpleQueue()
        self._socket = PtySocket(
            link, lambda data: self._queue.put(lambda now: self.mock.on_bytes(data, now))
        )
        self.mock = MockBody(
            MockBodyConfig(**(FAST | config)),
            random.Random(1),
            self._socket,
            link.with_name('device.jsonl'),
        )
        list(self.mock.start(time.monotonic()))
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def _live(self) -> None:
        while True:
            left = max(0.0, self.mock.due() - time.monotonic())
            try:
                work = self._queue.get(timeout=left)
            except queue.Empty:
                work = self.mock.step
            if work is None:
                return
            list(work(time.monotonic()))

    def do(self, work: Callable[[float], Any]) -> None:
        """Let something happen to it: `work(now)` on its thread, which returns its outputs."""
        self._queue.put(work)

    @property
    def joined(self) -> bool:
        """Whether a driver has joined."""
        return bool(self.mock.firmware.sid)

    def log(self) -> str:
        """What it has been asked for, line by line."""
        return '\n'.join(
            path.read_text(encoding='utf-8') for path in self.link.parent.glob('device*.jsonl')
        )

    def close(self) -> None:
        """Switch it off."""
        self._queue.put(self.mock.stop)
        self._queue.put(None)
        self._thread.join()
        self._socket.close()
        self.mock.close()
