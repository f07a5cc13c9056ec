"""Wakes: numbered, merged while open, sent again until the mind has begun them."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterable
from typing import Any

from soul.core.backoff import Backoff
from soul.heart.memory import OpenWake, WakesMemory
from soul.signals import SenseEvent, Wake, WakeCause, WakeId, newer

#: Longest pause between two sendings of the same wake, s.
LONGEST_PAUSE = 60.0
#: Sequence numbers are reserved in blocks of this size: the reserved end is on the disk before
#: the first number of a block is used, so that no number is ever used twice, without a write
#: on the way of each wake.
BLOCK = 1000
#: So many reasons and events one wake carries at most; the first ones stay.
MOST = 50


class Wakes:
    """The wakes of one heart.

    Parameters
    ----------
    pause
        First pause before a wake is sent again, s; doubles up to 60 s.
    memory
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(
        self, pause: float, rng: random.Random, memory: WakesMemory | None = None
    ) -> None:
        self._pause = pause
        memory = memory or WakesMemory(epoch=0)
        self.epoch = memory.epoch or rng.getrandbits(48) | 1
        self._reserved = memory.reserved
        self._sequence = self._reserved
        self.last = WakeId(*memory.last)
        #: The newest dream; a turn that a crash has cut short knows its wake but not the cause.
        self.dream = WakeId(*memory.dream)
        self.last_at = math.nan if memory.last_at is None else memory.last_at
        self.open = memory.open.wake() if memory.open else None
        self._backoff = Backoff(pause, LONGEST_PAUSE)
        self._sent = -math.inf
        self.resend_at = math.inf

    def memory(self) -> WakesMemory:
        """Return what must survive."""
        return WakesMemory(
            self.epoch,
            self._reserved,
            (self.last.epoch, self.last.sequence),
            (self.dream.epoch, self.dream.sequence),
            OpenWake.of(self.open) if self.open else None,
            None if math.isnan(self.last_at) else self.last_at,
        )

    @property
    def must_reserve(self) -> bool:
        """Whether the memory must be written before the next wake is sent."""
        return self._sequence >= self._reserved

    def reserve(self) -> None:
        """Reserve the next block; write the memory then."""
        self._reserved = self._sequence + BLOCK

    def unreserve(self) -> None:
        """The memory could not be written: nothing is reserved."""
        self._reserved = self._sequence

    def wake(
        self,
        causes: Iterable[str],
        reasons: Iterable[str],
        now: float,
        rate: float,
        message_ids: Iterable[str] = (),
        events: Iterable[SenseEvent] = (),
    ) -> Wake:
        """Open a wake, or merge into the one that is open, and return it to be sent.

        A dream that has not begun gives way to whatever else wakes her: it is no tick of hers,
        so the new wake gets a number of its own.
        """
        causes = tuple(causes)
        if self.open is not None and is_dream(self.open) and set(causes) != {WakeCause.DREAM}:
            self.open = None
        if self.open is None:
            self._sequence += 1
            since = now - self.last_at if not math.isnan(self.last_at) else 0.0
            self.last = WakeId(self.epoch, self._sequence)
            if set(causes) == {WakeCause.DREAM}:
                self.dream = self.last
            self.last_at = now
            self.open = Wake(
                stamp=now,
                id=self.last,
                rate_per_hour=rate,
                since_last=max(0.0, since),
            )
        self.open = dataclasses.replace(
            self.open,
            causes=_merge(self.open.causes, causes),
            reasons=_merge(self.open.reasons, reasons)[:MOST],
            message_ids=_merge(self.open.message_ids, message_ids),
            events=_merge(self.open.events, events)[:MOST],
        )
        self._backoff.reset()
        self.resend_at = now + self._pause
        self._sent = now
        return self.open

    def begun(self, wake: WakeId) -> bool:
        """Hear which wake has begun; True if that closes the open one."""
        if self.open is None or newer(self.open.id, wake):
            return False
        self.open = None
        self.resend_at = math.inf
        return True

    def resend(self, now: float) -> Wake | None:
        """Return the open wake if it is due to be sent again."""
        if self.open is None or now < self.resend_at:
            return None
        self._sent = now
        self.resend_at = now + self._backoff.next()
        return self.open

    def hurry(self, now: float) -> None:
        """Send the open wake again soon: somebody who may have missed it has come."""
        if self.open is not None and now - self._sent >= self._pause:
            self._backoff.reset()
            self.resend_at = now

    def revive(self, now: float) -> None:
        """After a restart: send what is still open at once, and never wait for the future."""
        if self.last_at > now:  # the clock was set back
            self.last_at = now
        if self.open is not None:
            self.resend_at = now

    def drop_dream(self) -> None:
        """Let a dream that has not begun go: its time is over."""
        if self.open is not None and is_dream(self.open):
            self.open = None
            self.resend_at = math.inf

    def shift(self, seconds: float) -> None:
        """Move all times: the clock was set."""
        self.last_at += seconds
        self.resend_at += seconds
        self._sent += seconds


def is_dream(wake: Wake) -> bool:
    """Whether a wake is a dream only."""
    return set(wake.causes) == {WakeCause.DREAM}


def _merge(old: tuple[Any, ...], new: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*old, *new)))
