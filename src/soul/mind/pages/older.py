"""The older diary entry beside the newest: a reminder that things were different once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from soul.mind.pages.entries import PageEntry
from soul.mind.pages.repetition import Likeness

#: So many older entries are looked at for one that is unlike the newest.
TRIES = 30


@dataclass(frozen=True)
class _Chosen:
    count: int  # of all entries at that time
    recent: tuple[str, ...]  # the newest ones' texts
    place: int  # -1: none is unlike enough
    entry: PageEntry | None

    def still_holds(self, diary: Sequence[PageEntry], recent: Sequence[PageEntry]) -> bool:
        same = self.count == len(diary) and self.recent == tuple(e.text for e in recent)
        return same and (self.entry is None or diary[self.place] == self.entry)


class OlderEntry:
    """Chooses an older entry that is unlike all of the newest, by chance.

    To compare long entries takes time, and a waking waits for it; so the next one can be chosen
    ahead (:meth:`look_ahead`). If the diary is another one by then, it is chosen anew.

    Parameters
    ----------
    likeness
        Compares the entries.
    """

    def __init__(self, likeness: Likeness) -> None:
        self._likeness = likeness
        self._ahead: _Chosen | None = None

    def take(
        self, diary: Sequence[PageEntry], recent: Sequence[PageEntry], rng: random.Random
    ) -> PageEntry | None:
        """Return the entry to show, each time another; None if none is unlike enough.

        Parameters
        ----------
        diary
            All entries, oldest first.
        recent
            Its newest ones, which are shown anyway.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is None or not ahead.still_holds(diary, recent):
            ahead = self._choose(diary, recent, rng)
        return ahead.entry

    def look_ahead(
        self, diary: Sequence[PageEntry], recent: Sequence[PageEntry], rng: random.Random
    ) -> None:
        """Choose the entry that :meth:`take` returns next."""
        if self._ahead is None or not self._ahead.still_holds(diary, recent):
            self._ahead = self._choose(diary, recent, rng)

    def _choose(
        self, diary: Sequence[PageEntry], recent: Sequence[PageEntry], rng: random.Random
    ) -> _Chosen:
        texts = tuple(entry.text for entry in recent)
        older = len(diary) - len(recent)
        for place in rng.sample(range(older), min(TRIES, older)):
            entry = diary[place]  # old months are read only for what is shown of them
            if entry.text and not any(self._likeness.alike(entry, shown) for shown in recent):
                return _Chosen(len(diary), texts, place, entry)
        return _Chosen(len(diary), texts, -1, None)
