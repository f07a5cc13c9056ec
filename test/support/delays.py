"""Delays every topic of the organs in this process by a random time, in order per topic."""

import heapq
import itertools
import threading
import time

from soul.core.runtime import Runtime


def delayed(monkeypatch, rng, longest):
    """Let each message arrive up to `longest` seconds late."""
    changed = threading.Condition()
    numbers = itertools.count()
    last = {}
    waiting = []
    hear = Runtime.hear

    def hear_late(self, topic, signal, fits=False):
        with changed:
            due = max(time.monotonic() + rng.uniform(0.0, longest), last.get((self, topic), 0.0))
            last[self, topic] = due
            heapq.heappush(waiting, (due, next(numbers), self, topic, signal))
            changed.notify()

    def deliver():
        while True:
            with changed:
                if not waiting:
                    changed.wait()
                    continue
                due, _, runtime, topic, signal = waiting[0]
                late = due - time.monotonic()
                if late > 0:
                    changed.wait(late)
                    continue
                heapq.heappop(waiting)
            runtime.inject(lambda now, r=runtime, t=topic, s=signal: hear(r, t, s) or ())

    threading.Thread(target=deliver, daemon=True).start()
    monkeypatch.setattr(Runtime, 'hear', hear_late)
