"""Events that wake at once, but not again and again: refractory times that grow (habituation).

A face detector may report thirty times a second, all day long. A kind of event is felt at its
onset; for its refractory time it is not felt anew. If it still goes on afterwards it is felt once
more and the time doubles, up to a longest; once it has been silent for as long, it is new again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

#: Kinds that are one event follow each other within this, s.
AS_ONE_SECONDS = 10.0


@dataclass
class _Trace:
    until: float  # not felt before
    pause: float  # the refractory time that ends then, s
    heard: float  # when it came last


class Refractory:
    """The refractory times of all kinds of events.

    Parameters
    ----------
    pause, longest
        First and longest refractory time, s.
    """

    def __init__(self, pause: float, longest: float) -> None:
        self._pause = pause
        self._longest = max(pause, longest)
        self._traces: dict[str, _Trace] = {}
        self._ones: dict[str, float] = {}  # when an event of several kinds was felt

    def felt(self, kind: str, now: float, pause: float | None = None) -> bool:
        """Whether an event of a kind is felt now.

        Parameters
        ----------
        pause
            Refractory time of this kind, if it has its own, s.
        """
        first = self._pause if pause is None else pause
        trace = self._traces.get(kind)
        if trace is None or now - trace.heard >= max(first, trace.pause):
            self._traces[kind] = _Trace(now + first, first, now)
            return True
        trace.heard = now
        if now < trace.until:
            return False
        trace.pause = min(2.0 * trace.pause, max(first, self._longest))
        trace.until = now + trace.pause
        return True

    def first(self, name: str, now: float) -> bool:
        """Whether an event is not part of one that was felt just now under the same name."""
        before = self._ones.get(name, -math.inf)
        if 0.0 <= now - before < AS_ONE_SECONDS:
            return False
        self._ones[name] = now
        return True

    def shift(self, seconds: float) -> None:
        """Move all times: the clock was set."""
        self._ones = {name: at + seconds for name, at in self._ones.items()}
        for trace in self._traces.values():
            trace.until += seconds
            trace.heard += seconds

    def limit(self, now: float, kept: int = 256) -> None:
        """Forget what is long over, so that made-up kinds cannot fill the memory."""
        if len(self._traces) > kept:
            newest = sorted(self._traces.items(), key=lambda item: item[1].heard)[-kept // 2 :]
            self._traces = dict(newest)

    def silent_until(self, kind: str) -> float:
        """When a kind is felt again at the earliest, s; -inf if at once."""
        trace = self._traces.get(kind)
        return trace.until if trace else -math.inf
