"""Finds out whether her diary goes round in circles, and keeps her from imitating it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from soul.mind.pages.entries import PageEntry
from soul.text.similarity import ALIKE, likeness, pair_counts, template

WINDOW = 10
OPENING = 20
#: So few different openings in the window, or fewer, are a rut.
RUT = 2
#: So many entries that are alike are shown, not more.
MOST_ALIKE = 2


@dataclass(frozen=True)
class Group:
    """Entries that say nearly the same, oldest first."""

    entries: tuple[PageEntry, ...]

    @property
    def newest(self) -> PageEntry:
        """The newest of them."""
        return self.entries[-1]


def openings(entries: Sequence[PageEntry]) -> int:
    """Count the different openings (20 characters) of the last 10 entries."""
    return len({' '.join(entry.text.split())[:OPENING] for entry in entries[-WINDOW:]})


def is_rut(entries: Sequence[PageEntry]) -> bool:
    """Tell whether the last 10 entries have 2 openings or fewer; fewer than 10 say nothing."""
    return len(entries) >= WINDOW and openings(entries) <= RUT


class Likeness:
    """Compares entries, each taken apart only once; numbers do not make them different."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}

    def alike(self, one: PageEntry, other: PageEntry) -> bool:
        """Tell whether two entries say nearly the same."""
        return likeness(self._pairs(one), self._pairs(other)) >= ALIKE

    def _pairs(self, entry: PageEntry) -> Counter[str]:
        text = entry.text
        if text not in self._counts:
            self._counts[text] = pair_counts(template(text))
        return self._counts[text]

    def groups(self, entries: Sequence[PageEntry]) -> list[Group]:
        """Sort entries into groups of what is alike, in the order of their newest members."""
        groups: list[list[PageEntry]] = []
        for entry in entries:
            near = [g for g in groups if any(self.alike(entry, member) for member in g)]
            joined = [*sorted([m for g in near for m in g], key=entries.index), entry]
            groups = [g for g in groups if g not in near] + [joined]
        return [Group(tuple(group)) for group in groups]
