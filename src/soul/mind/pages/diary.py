"""DIARY.md: what she chose to remember, day by day."""

from __future__ import annotations

from soul.mind.pages.entries import PageEntry, dated_sections, escape
from soul.mind.pages.page import Page

MOST_CHARACTERS = 4000


class Diary(Page):
    """The diary; its entries are never rewritten."""

    name = 'DIARY.md'
    title = 'diary'
    #: A diary of years is long: it is taken apart only when it has changed.
    _read: tuple[str, list[PageEntry]] = ('', [])

    def add(self, text: str, now: float) -> str:
        """Write an entry; returns a receipt.

        Raises
        ------
        PageRefused
            If there is nothing in it, or more than 4,000 characters.
        """
        text = self._store.checked(self.name, text, MOST_CHARACTERS)
        when = self._store.stamp(now)
        self._append(f'## {when}\n\n{escape(text)}\n\n')
        return self._words.say('receipts.diary', when=when)

    def entries(self) -> list[PageEntry]:
        """Return all entries, in the order of the page."""
        text = self.text()
        if text != self._read[0]:
            self._read = (text, dated_sections(text, self._store.zone))
        return list(self._read[1])
