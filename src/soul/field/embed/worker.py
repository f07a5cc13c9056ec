"""The thread that loads a model and computes vectors, so that nothing else waits for it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence

from soul.field.embed.port import Embedder, Unavailable, Vectors


class Worker:
    """Loads an embedder once and then computes what is ordered.

    Parameters
    ----------
    load
        Loads the embedder; called on the thread.
    ready, unavailable, done, failed
        Called on the thread: hand over to your own.
    """

    def __init__(
        self,
        load: Callable[[], Embedder],
        ready: Callable[[Embedder], None],
        unavailable: Callable[[str], None],
        done: Callable[[Sequence[str], Vectors], None],
        failed: Callable[[Sequence[str], str], None],
    ) -> None:
        self._load = load
        self._ready, self._unavailable = ready, unavailable
        self._done, self._failed = done, failed
        self._orders: queue.SimpleQueue[list[str] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name='embedder', daemon=True)
        self._ended = threading.Event()

    def start(self) -> Worker:
        """Begin to compute on a thread of its own; returns itself."""
        self._thread.start()
        return self

    def order(self, texts: Sequence[str]) -> None:
        """Ask for vectors. Thread-safe."""
        self._orders.put(list(texts))

    def close(self) -> None:
        """End. A model that is just being loaded is not waited for long."""
        self._ended.set()
        self._orders.put(None)
        if self._thread.ident is not None:
            self._thread.join(2.0)

    def _work(self) -> None:
        try:
            embedder = self._load()
        except Unavailable as reason:
            if not self._ended.is_set():
                self._unavailable(str(reason))
            return
        if self._ended.is_set():
            return
        self._ready(embedder)
        while True:
            texts = self._orders.get()
            if texts is None or self._ended.is_set():
                return
            try:
                vectors = embedder.embed(texts)
            except Exception as error:  # noqa: BLE001 - whatever a model raises, she lives on
                self._failed(texts, f'{type(error).__name__}: {error}')
            else:
                self._done(texts, vectors)
