"""MOOD.md: her own words about how she feels, which fade by the hours."""

from __future__ import annotations

from soul.mind.pages.entries import PageEntry, prose
from soul.mind.pages.page import WholePage
from soul.text.stamps import take_stamp

MOST_CHARACTERS = 500


class MoodPage(WholePage):
    """Her latest words about her feeling."""

    name = 'MOOD.md'
    title = 'mood'

    def write(self, text: str, now: float) -> str:
        """Put it into words; returns a receipt.

        Raises
        ------
        PageRefused
            If there is nothing in it, more than 500 characters, or somebody else changed the
            page since she last saw it.
        """
        text = self._store.checked(self.name, text, MOST_CHARACTERS)
        when = self._store.stamp(now)
        title = self._words.say('titles.mood')
        self._rewrite(f'# {title}\n\n{when}\n\n{text}\n', when)
        return self._words.say('receipts.mood', when=when)

    def entry(self) -> PageEntry | None:
        """Return her words and since when they stand; None if there are none.

        Words without a date are as old as the file.
        """
        text = prose(self.text())
        at, rest = take_stamp(text, self._store.zone)
        if at is None:
            try:
                at = (self._store.folder / self.name).stat().st_mtime
            except OSError:
                return None
        return PageEntry(rest.strip(), at) if rest.strip() else None
