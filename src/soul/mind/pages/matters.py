"""MIND.md: matters she keeps in mind until they are settled."""

from __future__ import annotations

from soul.mind.pages.entries import PageEntry, appended, item, listed
from soul.mind.pages.errors import PageRefused
from soul.mind.pages.page import Page
from soul.mind.pages.page_store import Pages
from soul.store.pages import clean

SETTLED = 'MIND.settled.md'
STALE_SECONDS = 3 * 86400.0
MOST_CHARACTERS = 2000


class Matters(Page):
    """MIND.md: matters she keeps in mind, each a line with a date."""

    name = 'MIND.md'
    title = 'matters'

    def keep(self, text: str, now: float) -> str:
        """Keep a matter in mind; returns a receipt.

        Raises
        ------
        PageRefused
            If there is nothing in it, or more than 2,000 characters.
        """
        text = self._store.checked(self.name, text, MOST_CHARACTERS)
        self._append(item(text, self._store.stamp(now)))
        return self._words.say('receipts.kept', text=text[:30])

    def settle(self, keyword: str, now: float | None = None) -> list[str]:
        """Settle every open matter that contains a keyword.

        They move to MIND.settled.md as they stand there.

        Returns
        -------
        list
            Their texts; empty if there is none.

        Raises
        ------
        PageRefused
            If the keyword is empty.
        """
        wanted = clean(keyword).casefold()
        if not wanted:
            raise PageRefused(self._words.say('refused.empty', page=self.name))
        settled: list[str] = []

        def make(there: Pages) -> Pages:
            page = there[self.name] or ''
            hit = [e for e in listed(page, self._store.zone) if wanted in e.text.casefold()]
            settled[:] = [entry.text for entry in hit if not entry.done]
            if not settled:
                return {}
            moved = ''
            for entry in reversed(hit):
                if not entry.done:
                    moved = _line(page[entry.start : entry.end]) + moved
                    page = page[: entry.start] + page[entry.end :]
            if now is not None:
                moved = f'## {self._store.stamp(now)}\n\n{moved}'
            title = self._words.say('titles.settled')
            return {self.name: page, SETTLED: appended(there[SETTLED], title, f'{moved}\n')}

        self._store.edit((self.name, SETTLED), make)
        return settled

    def entries(self) -> list[PageEntry]:
        """Return what is open, in the order of the page."""
        return [entry for entry in listed(self.text(), self._store.zone) if not entry.done]


def is_stale(entry: PageEntry, now: float) -> bool:
    """Tell whether a matter has been kept for 3 days or more; one without a date is fresh."""
    return entry.at is not None and now - entry.at >= STALE_SECONDS


def _line(text: str) -> str:
    return text if text.endswith('\n') else f'{text}\n'
