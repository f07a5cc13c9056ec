"""Delays every topic of the organs in this process by a random time, in order per topic."""

import heapq
import itertools
import threading
import time

from soul.ros.organ import OrganNode


def delayed(monkeypatch, rng, longest):
    """Let each message arrive up to `longest` seconds late."""
    changed = threading.Condition()
    numbers = itertools.count()
    last = {}
    waiting = []

    def hear_late(self, method, signal):
        with changed:
            due = max(time.monotonic() + rng.uniform(0.0, longest), last.get(method, 0.0))
            last[method] = due
            heapq.heappush(waiting, (due, next(numbers), self, method, signal))
            changed.notify()

    def deliver():
        while True:
            with changed:
                if not waiting:
                    changed.wait()
                    continue
                due, _, organ, method, signal = waiting[0]
                late = due - time.monotonic()
                if late > 0:
                    changed.wait(late)
                    continue
                heapq.heappop(waiting)
            organ.inject(lambda now, m=method, s=signal: m(s, now))

    threading.Thread(target=deliver, daemon=True).start()
    monkeypatch.setattr(OrganNode, '_hear', hear_late)
