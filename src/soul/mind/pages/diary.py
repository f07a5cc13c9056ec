"""The diary: what she chose to remember, day by day."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import overload

from soul.mind.pages import months
from soul.mind.pages.entries import PageEntry, appended, dated_sections, escape
from soul.mind.pages.old_months import Month, OldMonths
from soul.mind.pages.page import Page
from soul.mind.pages.page_store import Pages, PageStore

MOST_CHARACTERS = 4000
#: Stands for an entry that was taken away between looking and reading.
_GONE = PageEntry('')


class DiaryEntries(Sequence[PageEntry]):
    """All entries, oldest month first; those of old months are read when they are asked for."""

    def __init__(
        self, old: OldMonths, looked: Sequence[Month], newest: Sequence[PageEntry]
    ) -> None:
        self._old, self._months, self._newest = old, looked, newest
        self._ends = list(accumulate(month.count for month in looked))

    def __len__(self) -> int:
        return (self._ends[-1] if self._ends else 0) + len(self._newest)

    @overload
    def __getitem__(self, place: int) -> PageEntry: ...

    @overload
    def __getitem__(self, place: slice) -> list[PageEntry]: ...

    def __getitem__(self, place: int | slice) -> PageEntry | list[PageEntry]:
        """Return an entry, or several; one with no text was taken away meanwhile."""
        if isinstance(place, slice):
            return [self[n] for n in range(*place.indices(len(self)))]
        if place < 0:
            place += len(self)
        if not 0 <= place < len(self):
            raise IndexError(place)
        which = bisect.bisect_right(self._ends, place)
        before = self._ends[which - 1] if which else 0
        if which == len(self._months):
            return self._newest[place - before]
        return self._old.entry(self._months[which], place - before) or _GONE


class Diary(Page):
    """The diary; its entries are never rewritten.

    `DIARY.md` has the newest month. When a new one begins, the months before move into files of
    their own, `DIARY/2026-11.md`, in the same change as the first entry.
    """

    name = months.DIARY
    title = 'diary'

    def __init__(self, store: PageStore) -> None:
        super().__init__(store)
        self.old = OldMonths(store.folder, store.reader, store.zone)
        # a month of a thousand entries is long: it is taken apart only when it has changed
        self._read: tuple[str, list[PageEntry]] = ('', [])
        self._whole: tuple[str, str] = ('', '')  # a month, and a page without older ones

    def add(self, text: str, now: float) -> str:
        """Write an entry; returns a receipt.

        Raises
        ------
        PageRefused
            If there is nothing in it, or more than 4,000 characters.
        """
        text = self._store.checked(self.name, text, MOST_CHARACTERS)
        when = self._store.stamp(now)
        entry = f'## {when}\n\n{escape(text)}\n\n'
        month, zone = months.month_of(now, self._store.zone), self._store.zone
        title = self._words.say('titles.diary')

        def make(there: Pages) -> Pages:
            page, becomes = there[self.name] or '', dict[str, str]()
            whole = self._whole == (month, page)
            if not whole:
                becomes = months.split(page, month, there, zone)
                whole = not months.months_before(becomes.get(self.name, page), month, zone)
            becomes[self.name] = appended(becomes.get(self.name, page), title, entry)
            self._whole = (month, becomes[self.name]) if whole else ('', '')
            return becomes

        page = self._store.read(self.name)
        whole = self._whole == (month, page)
        old = [] if whole else months.movable(self._store.folder, page, month, zone)
        self._store.edit((self.name, *old), make)
        return self._words.say('receipts.diary', when=when)

    def entries(self, look: bool = True) -> Sequence[PageEntry]:
        """Return all entries: month by month, each in the order of its page.

        Parameters
        ----------
        look
            Whether to look for changes in the old months; else they are as they were last found.
        """
        old = self.old.look() if look else self.old.found()
        return DiaryEntries(self.old, old, self._newest())

    def days(self) -> list[str]:
        """Return the days that have entries, oldest first: 2026-11-30."""
        days = {day for month in self.old.look() for day in month.days}
        return sorted(days | {self.old.day(e.at) for e in self._newest() if e.at is not None})

    def of_day(self, day: str) -> Iterator[PageEntry]:
        """Yield the entries of a day."""
        yield from self.old.of_day(day)
        for entry in self._newest():
            if entry.at is not None and self.old.day(entry.at) == day:
                yield entry

    def _newest(self) -> list[PageEntry]:
        text = self.text()
        if text != self._read[0]:
            self._read = (text, dated_sections(text, self._store.zone))
        return self._read[1]
