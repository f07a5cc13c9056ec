"""Finds out whether her diary goes round in circles, and keeps her from imitating it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from soul.mind.pages.entries import PageEntry
from soul.text.similarity import ALIKE, likeness, pair_counts, template

WINDOW = 10
OPENING = 20
#: So few different openings in the window, or fewer, are a rut.
RUT = 2
#: So many entries that are alike are shown, not more.
MOST_ALIKE = 2
#: So much of an entry is compared, characters: any two texts of pages in one language share most
#: of their pairs.
COMPARED = 1000
#: So much of earlier comparisons is kept: pairs of characters of texts, and results.
_TEXTS, _COMPARISONS = 24, 256


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
    begins = (
        ' '.join(entry.text.split(maxsplit=OPENING))[:OPENING] for entry in entries[-WINDOW:]
    )
    return len(set(begins))


def is_rut(entries: Sequence[PageEntry]) -> bool:
    """Tell whether the last 10 entries have 2 openings or fewer; fewer than 10 say nothing."""
    return len(entries) >= WINDOW and openings(entries) <= RUT


class Likeness:
    """Compares entries; numbers do not make them different.

    It may be kept: the last entries of a diary are mostly the same from waking to waking.
    """

    def __init__(self) -> None:
        self._pairs = lru_cache(_TEXTS)(lambda text: pair_counts(template(text[:COMPARED])))
        self._likeness = lru_cache(_COMPARISONS)(
            lambda one, other: likeness(self._pairs(one), self._pairs(other))
        )

    def alike(self, one: PageEntry, other: PageEntry) -> bool:
        """Tell whether two entries say nearly the same."""
        return self._likeness(one.text, other.text) >= ALIKE

    def groups(self, entries: Sequence[PageEntry]) -> list[Group]:
        """Sort entries into groups of what is alike, in the order of their newest members."""
        groups: list[list[PageEntry]] = []
        for entry in entries:
            near = [g for g in groups if any(self.alike(entry, member) for member in g)]
            joined = [*sorted([m for g in near for m in g], key=entries.index), entry]
            groups = [g for g in groups if g not in near] + [joined]
        return [Group(tuple(group)) for group in groups]
