"""Tells the others how she is, and writes the page that people read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from soul.heart.rhythm import Rhythm
from soul.heart.state_message import page, state_message
from soul.signals import HeartState

#: DRIVES.json is written at least this often while she lives, s.
PAGE_SECONDS = 600.0
#: ... and so long after a turn, s.
SOON_SECONDS = 3.0
#: A state that nobody waits for is told after this, s.
TELL_SECONDS = 0.05


class StatePublisher:
    """When the heart's state is told, and what it is.

    Parameters
    ----------
    period
        It is told at least this often, s.
    write_page
        Writes DRIVES.json, the page that people read; None: there is none.
    """

    def __init__(
        self,
        rhythm: Rhythm,
        period: float,
        write_page: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        self._rhythm = rhythm
        self._period = period
        self._write_page = write_page
        #: When the state is told next, s of the node's clock.
        self.due = math.inf
        self._told_asleep = rhythm.life.asleep
        self._page_at = -math.inf
        #: Why the page cannot be written; empty: it can be.
        self.page_trouble = ''

    @property
    def turned(self) -> bool:
        """Whether she has fallen asleep or woken since it was told last."""
        return self._rhythm.life.asleep != self._told_asleep

    def shift(self, seconds: float) -> None:
        """Move all times: the clock was set."""
        self.due += seconds
        self._page_at += seconds

    def tell_soon(self, now: float) -> None:
        """Let the state be told a little later, for nobody waits for it."""
        self.due = min(self.due, now + TELL_SECONDS)

    def tell(self, now: float) -> HeartState:
        """Return the state to be published now."""
        self.due = now + self._period
        self._told_asleep = self._rhythm.life.asleep
        return self.state(now)

    def state(self, now: float) -> HeartState:
        """Return the state as it is published."""
        rhythm = self._rhythm
        return state_message(
            now,
            rhythm.life,
            rhythm.inner.modulation(),
            rhythm.around.factors,
            rhythm.inner.words,
            rhythm.wakes,
            rhythm.inner.rest_until,
        )

    def show_soon(self, now: float) -> None:
        """Let the page be written a little later: nobody waits for it."""
        self._page_at = min(self._page_at, now + SOON_SECONDS)

    @property
    def page_due(self) -> float:
        """When the page is to be written, s of the node's clock; inf: there is none."""
        return math.inf if self._write_page is None else self._page_at

    def show_if_due(self, now: float) -> None:
        """Write the page for people if it is old."""
        if now >= self._page_at:
            self.show(now)

    def show(self, now: float) -> None:
        """Write the page for people."""
        self._page_at = now + PAGE_SECONDS
        if self._write_page is None:
            return
        try:
            self._write_page(page(self.state(now), self._rhythm.inner.clock))
        except OSError as error:  # it is for people only, and she lives on without
            self.page_trouble = str(error)
        else:
            self.page_trouble = ''
