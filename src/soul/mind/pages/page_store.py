"""Where her pages are written: one way to read and change them, shared with people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo
from pathlib import Path

from soul.mind.pages.errors import EditedMeanwhile, PageRefused
from soul.mind.pages.months import FOLDER
from soul.mind.pages.seen_versions import SeenVersions
from soul.store.pages import (
    ChangedMeanwhile,
    beside,
    clean,
    page_digest,
    read_page,
    replace_page,
)
from soul.store.reading import PageReader
from soul.store.transaction import Change, Transaction
from soul.text.phrases import Phrases
from soul.text.stamps import stamp

Pages = Mapping[str, str | None]
#: How often a change is made anew when somebody else writes at the same time.
_ATTEMPTS = 5


class PageStore:
    """The soul directory's files and what she knows of them.

    Parameters
    ----------
    folder
        The soul directory; it exists.
    words
        Her language.
    zone
        Time zone of the dates in her pages; None: the host's.
    """

    def __init__(self, folder: Path, words: Phrases, zone: tzinfo | None = None) -> None:
        self.folder, self.words, self.zone = folder, words, zone
        self.reader = PageReader()
        self.transaction = Transaction(folder)
        self.transaction.recover()
        for place in (folder, folder / FOLDER):
            for left in place.glob('.*.md.new'):
                left.unlink()  # of a process that died before it had written it whole
        self.seen = SeenVersions(folder)
        self._note_conflicts()

    def read(self, name: str) -> str | None:
        """Read a page; None if there is none, or if it cannot be read (see :attr:`reader`)."""
        return self.reader.read(self.folder / name)

    def edit(self, names: tuple[str, ...], make: Callable[[Pages], Pages]) -> None:
        """Change pages together.

        Parameters
        ----------
        make
            From what is there to what it becomes. It is called anew when somebody else was
            quicker, so that nothing of theirs is lost.

        Raises
        ------
        PageRefused
            If somebody else is quicker all the time, or something that cannot be read lies
            there.
        """
        for _ in range(_ATTEMPTS):
            there = {name: self._strictly(name) for name in names}
            becomes = make(there)
            if not becomes:
                return
            self.seen.before_writing(there, becomes)
            changes = [Change(self.folder / n, there[n], text) for n, text in becomes.items()]
            try:
                self.transaction.apply(changes)
            except ChangedMeanwhile:
                continue
            self._note_conflicts()
            return
        raise PageRefused(self.words.say('refused.busy', page=names[0]))

    def _strictly(self, name: str) -> str | None:
        try:
            return read_page(self.folder / name)
        except OSError as error:
            why = error.strerror or str(error)
            raise PageRefused(self.words.say('refused.unreadable', page=name, why=why)) from error

    def must_have_seen(self, name: str, there: str | None, mine: str) -> None:
        """Refuse to write over what she has not seen; hers is kept beside it.

        Raises
        ------
        EditedMeanwhile
            If somebody else changed the page since she last saw it.
        """
        if self.seen.has_seen(name, page_digest(there)):
            return
        copy = beside(self.folder / name, 'conflict')
        self.seen.own(copy.name, page_digest(mine))
        self.seen.tell(name)
        self.seen.save()
        replace_page(copy, None, mine)
        raise EditedMeanwhile(self.words.say('refused.conflict', page=name, copy=copy.name))

    def checked(self, page: str, text: str, most: int) -> str:
        """Return a text that can be written.

        Raises
        ------
        PageRefused
            If it is empty or longer than `most` characters.
        """
        text = clean(text)
        if not text:
            raise PageRefused(self.words.say('refused.empty', page=page))
        if len(text) > most:
            raise PageRefused(
                self.words.say('refused.long', page=page, count=len(text), most=most)
            )
        return text

    def stamp(self, now: float) -> str:
        """Write a time as in her pages."""
        return stamp(now, self.zone)

    def _note_conflicts(self) -> None:
        if not self.transaction.conflicts:
            return
        for path, copy in self.transaction.conflicts:
            name, kept = (one.relative_to(self.folder).as_posix() for one in (path, copy))
            self.seen.notes.append(self.words.say('conflict', name=name, copy=kept))
            self.seen.own(kept, page_digest(self.reader.read(copy)))
        self.transaction.conflicts.clear()
        self.seen.save()
