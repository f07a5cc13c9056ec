"""What her pages and her memory have for a moment."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

from soul.mind.dream import StepOutcome, dream
from soul.mind.dream.dream import Think
from soul.mind.memory import Memory
from soul.mind.mind_memory import SharedThought
from soul.mind.moment import Inner
from soul.mind.pages import SoulDirectory
from soul.mind.pages.canon import Canon
from soul.mind.shares import Shares
from soul.mind.words import Words
from soul.signals import View

#: Most characters of what comes to mind, and of the canon, for a model that can read much.
RETRIEVED = 2000
CANON = 2000
#: For a model that can read only little, all windows are this part of it.
COMPACT_SCALE = 0.3


class Inside(Protocol):
    """Where the inner part of a moment comes from."""

    def inner(self, view: View, now: float, rng: random.Random) -> Inner:
        """Return what belongs to what she sees now."""

    def look_ahead(self, rng: random.Random) -> None:
        """Get ready in quiet time what the next moment can find ready."""

    def open_loops(self, now: float) -> int:
        """Count what she keeps in mind."""

    def shares(self) -> tuple[SharedThought, ...]:
        """What she wants to share: it lies in no file of its own."""

    async def dream(
        self, think: Think, should_stop: Callable[[], bool], now: Callable[[], float]
    ) -> list[StepOutcome]:
        """Dream; see :func:`soul.mind.dream.dream`."""


class Pages:
    """Her pages, her memory, her canon, and the thoughts she wants to share.

    Parameters
    ----------
    compact
        For a model that can read only a few thousand tokens.
    """

    def __init__(
        self,
        directory: SoulDirectory,
        memory: Memory,
        canon: Canon,
        shares: Shares,
        words: Words,
        compact: bool = False,
    ) -> None:
        self.directory = directory
        self.memory = memory
        self._canon = canon
        self._shares = shares
        self._words = words
        self._compact = compact
        self._scale = COMPACT_SCALE if compact else 1.0

    def inner(self, view: View, now: float, rng: random.Random) -> Inner:
        """Return what belongs to what she sees now."""
        snapshot = self.directory.snapshot(now, rng, self._scale)
        sees = '\n'.join((view.focus, *(item.text for item in view.close), view.text))
        budget = round(RETRIEVED * self._scale)
        return Inner(
            resident=self.memory.resident_text(),
            index='' if self._compact else self.memory.index_text(),
            retrieved=self.memory.retrieve(sees, now, budget),
            canon=self._canon.retrieve(sees, round(CANON * self._scale)),
            share=self._shares.text(now, self._words),
            self_text=snapshot.self_text,
            aspirations=snapshot.aspirations,
            mood=snapshot.mood,
            matters=snapshot.matters,
            journal=snapshot.journal,
            edits=snapshot.edits,
            left_out=snapshot.left_out,
            rut=snapshot.rut,
            open_loops=snapshot.open_loops,
            odd=(*self.directory.news(), *self.memory.news(), *self._canon.news()),
        )

    def look_ahead(self, rng: random.Random) -> None:
        """Choose the older diary entry of the next moment."""
        self.directory.look_ahead(rng, self._scale)

    def open_loops(self, now: float) -> int:
        """Count the matters that are fresh and the thoughts she wants to share."""
        return self.directory.open_loops(now) + len(self._shares)

    def shares(self) -> tuple[SharedThought, ...]:
        """The thoughts she wants to share."""
        return self._shares.memory()

    async def dream(
        self, think: Think, should_stop: Callable[[], bool], now: Callable[[], float]
    ) -> list[StepOutcome]:
        """Dream over her pages and her memory."""
        return await dream(self.directory, self.memory, think, should_stop, now)
