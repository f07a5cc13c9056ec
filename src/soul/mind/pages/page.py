"""What all her pages have in common."""

from __future__ import annotations

from soul.mind.pages.entries import appended
from soul.mind.pages.page_store import Pages, PageStore
from soul.store.pages import page_digest


class Page:
    """One page.

    Attributes
    ----------
    name
        The file's name.
    """

    name = ''
    title = ''  # in the language's table

    def __init__(self, store: PageStore) -> None:
        self._store = store
        self._words = store.words

    def text(self) -> str:
        """Return the page as it is; empty if there is none."""
        return self._store.read(self.name) or ''

    def read(self) -> str:
        """Let her read the page: what she then writes over it, she has seen."""
        text = self._store.read(self.name)
        known = self._store.seen
        digest = page_digest(text)
        if not known.has_seen(self.name, digest):
            known.tell(self.name)
            known.see(self.name, digest)
            known.save()
        return text or ''

    def _append(self, text: str) -> None:
        title = self._words.say(f'titles.{self.title}')
        self._store.edit((self.name,), lambda there: self._appended(there, title, text))

    def _appended(self, there: Pages, title: str, text: str) -> Pages:
        return {self.name: appended(there[self.name], title, text)}


class WholePage(Page):
    """A page that she writes as a whole; what others put into it goes into a history."""

    #: Whether what she wrote herself goes there, too.
    keeps_history = False
    history_title = 'history'

    @property
    def history_name(self) -> str:
        """Name of the file that keeps earlier versions."""
        return f'{self.name.removesuffix(".md")}.history.md'

    def _rewrite(self, page: str, stamp: str) -> None:
        """Replace the page.

        Raises
        ------
        EditedMeanwhile
            If somebody else changed it since she last saw it.
        """

        def make(there: Pages) -> Pages:
            before = there[self.name]
            self._store.must_have_seen(self.name, before, page)
            becomes: dict[str, str | None] = {self.name: page}
            hers = self._store.seen.wrote(self.name, before)
            if before and before.strip() and (self.keeps_history or not hers):
                title = self._words.say(f'titles.{self.history_title}')
                entry = f'## {stamp}\n\n{_demoted(before)}\n\n'
                becomes[self.history_name] = appended(there[self.history_name], title, entry)
            return becomes

        self._store.edit((self.name, self.history_name), make)


def _demoted(page: str) -> str:
    """An archived page as it was, but that its headings cannot pass for those of the archive."""
    return '\n'.join(f'    {line}' if line.startswith('#') else line for line in page.split('\n'))
