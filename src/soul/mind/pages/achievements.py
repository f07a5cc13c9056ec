"""ACHIEVEMENTS.md: what she has done, for ever."""

from __future__ import annotations

from soul.mind.pages.entries import PageEntry, item, listed
from soul.mind.pages.page import Page

MOST_CHARACTERS = 1000


class Achievements(Page):
    """The record of things done."""

    name = 'ACHIEVEMENTS.md'
    title = 'achievements'

    def add(self, text: str, now: float) -> str:
        """Record something; returns a receipt.

        Raises
        ------
        PageRefused
            If there is nothing in it, or more than 1,000 characters.
        """
        text = self._store.checked(self.name, text, MOST_CHARACTERS)
        when = self._store.stamp(now)
        self._append(item(text, when))
        return self._words.say('receipts.achievement', when=when)

    def entries(self) -> list[PageEntry]:
        """Return all of them, in the order of the page."""
        return listed(self.text(), self._store.zone)
