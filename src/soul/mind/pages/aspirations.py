"""ASPIRATIONS.md: who she wants to become and what she is after."""

from __future__ import annotations

import re
from collections.abc import Iterable

from soul.mind.pages.entries import PageEntry, listed, prose
from soul.mind.pages.errors import PageRefused
from soul.mind.pages.page import WholePage
from soul.text.phrases import Phrases

MOST_CHARACTERS = 6000


class Aspirations(WholePage):
    """Her aspirations; at least one pursuit needs neither a body nor a person.

    Attributes
    ----------
    people
        Names of people, which a pursuit of her own does not mention.
    """

    name = 'ASPIRATIONS.md'
    title = 'aspirations'
    people: tuple[str, ...] = ()

    def write(self, text: str, now: float | None = None) -> str:
        """Write them anew; returns a receipt.

        Raises
        ------
        PageRefused
            If there is nothing in it, more than 6,000 characters, no pursuit of her own, or
            somebody else changed the page since she last saw it.
        """
        text = prose(self._store.checked(self.name, text, MOST_CHARACTERS))
        if not own_pursuits(text, self._words, self.people):
            raise PageRefused(self._words.say('refused.own'))
        stamp = self._store.stamp(now) if now is not None else self._words.say('undated')
        self._rewrite(f'# {self._words.say("titles.aspirations")}\n\n{text}\n', stamp)
        return self._words.say('receipts.aspirations')

    def own(self) -> list[PageEntry]:
        """Return the pursuits that need neither a body nor a person."""
        return own_pursuits(self.text(), self._words, self.people)


def own_pursuits(text: str, words: Phrases, people: Iterable[str] = ()) -> list[PageEntry]:
    """Return those items that mention neither a body nor a person.

    Words written with spaces between them must stand there whole, others anywhere.
    """
    needs = [*words.listed('needs_body'), *words.listed('needs_people'), *people]
    spaced = [re.escape(need) for need in needs if need.isascii()]
    parts = [re.escape(need) for need in needs if need and not need.isascii()]
    pattern = '|'.join(filter(None, [rf'\b(?:{"|".join(spaced)})\b' if spaced else '', *parts]))
    needy = re.compile(pattern or r'(?!)', re.IGNORECASE)
    return [entry for entry in listed(text) if not entry.done and not needy.search(entry.text)]
