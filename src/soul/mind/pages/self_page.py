"""SELF.md: who she is, in her own words, and who she was before."""

from __future__ import annotations

from soul.mind.pages.entries import PageEntry, dated_sections, prose
from soul.mind.pages.errors import PageRefused
from soul.mind.pages.page import WholePage

MOST_CHARACTERS = 8000
#: The one origin whose words become part of who she is.
OWN = 'self'


class SelfPage(WholePage):
    """Her self, which she alone rewrites; every version before is kept."""

    name = 'SELF.md'
    title = 'self'
    keeps_history = True
    history_title = 'self_history'

    def reflect(self, text: str, now: float, origin: str = OWN) -> str:
        """Write who she is; returns a receipt.

        Parameters
        ----------
        origin
            Where the words come from.

        Raises
        ------
        PageRefused
            If the words are not her own, there is nothing in them, more than 8,000 characters,
            or somebody else changed the page since she last saw it.
        """
        if origin != OWN:
            raise PageRefused(self._words.say('refused.origin', origin=origin))
        text = prose(self._store.checked(self.name, text, MOST_CHARACTERS))
        if not text:
            raise PageRefused(self._words.say('refused.empty', page=self.name))
        when = self._store.stamp(now)
        self._rewrite(f'# {self._words.say("titles.self")}\n\n{text}\n', when)
        return self._words.say('receipts.self', when=when)

    def history(self) -> list[PageEntry]:
        """Return the versions before, oldest first."""
        return dated_sections(self._store.read(self.history_name) or '', self._store.zone)
