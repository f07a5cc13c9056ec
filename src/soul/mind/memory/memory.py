"""Her memory: what she always knows, notes without bound, and a way to find them again."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path

from soul.mind.memory import resident as resident_memory
from soul.mind.memory.catalogue import Catalogue
from soul.mind.memory.entry import DEFAULT_IMPORTANCE, ORIGINS, Entry, digest, mark
from soul.mind.memory.errors import MemoryRefused
from soul.mind.memory.index import Index
from soul.mind.memory.keeping import Keeping, Remembered
from soul.mind.memory.notebook import RESIDENT, Note, Notebook, Pages
from soul.mind.memory.overview import overview
from soul.mind.memory.own_pages import PageSource
from soul.mind.memory.ranking import CANDIDATES, Hit, ranked
from soul.store.pages import clean
from soul.text.phrases import load_phrases
from soul.text.similarity import same_statement
from soul.text.terms import search_terms

MOST_CHARACTERS = 8000
#: Of a view so many words are searched for.
VIEW_TERMS = 60
#: Of these the rarest tell most; together they are in so many memories at most.
RARE_TERMS = 12
COMMON = 500
#: What is retrieved reaches this part of the best one's score.
RELATED = 0.35
MOST_RETRIEVED = 12
#: A text to forget by may mean so many entries, not more, and is no shorter than that.
MOST_FORGOTTEN = 5
SHORTEST_FORGOTTEN = 2
_DUPLICATE_TERMS = 3
_DUPLICATE_CANDIDATES = 12


class Memory:
    """Her memory in one folder.

    Parameters
    ----------
    folder
        `<home>/memory`; it is made.
    language
        Name of a language in `config/life`, or the path of a YAML file.
    cap
        Most characters of the resident memory as she reads it.
    zone
        Time zone of the dates in the notes; None: the host's.
    read_only
        Only look things up; the index is used as it is.
    pages
        Her own pages, which are looked up with the notes.

    Raises
    ------
    TableUnreadable
        If there is no such language.
    """

    def __init__(
        self,
        folder: Path,
        language: str = 'en',
        cap: int = resident_memory.CAP_CHARACTERS,
        zone: tzinfo | None = None,
        read_only: bool = False,
        pages: PageSource | None = None,
    ) -> None:
        self.folder, self.cap, self.zone = folder, cap, zone
        self.words = load_phrases('life', language)
        titles = {RESIDENT: self.words.say('titles.resident')}
        self.notebook = Notebook(folder, titles, zone, read_only)
        self.keeping = Keeping(self.notebook, self.words, cap)
        self.catalogue = Catalogue(folder, self.notebook, read_only, pages)
        self._overview = (-1, '')
        self._resident: tuple[Note | None, str] = (None, '')  # the note and how it is told
        self._lock = threading.RLock()
        self.catalogue.refresh()
        self.catalogue.refresh_pages()

    @property
    def anomalies(self) -> list[str]:
        """What was wrong with the files, and what people wrote at the same time, in words."""
        transaction = self.notebook.transaction
        conflicts = [
            self.words.say('conflict', name=path.name, copy=copy.name)
            for path, copy in transaction.conflicts
        ]
        return [*self.catalogue.anomalies, *transaction.anomalies, *conflicts]

    def news(self) -> list[str]:
        """Return what was found odd about the notes since the last call, in words."""
        return self.notebook.reader.news()

    def remember(
        self,
        text: str,
        origin: str,
        now: float,
        importance: float = DEFAULT_IMPORTANCE,
        topic: str = '',
        resident: bool = False,
    ) -> Remembered:
        """Remember something; on the disk when this returns.

        What says the same as something she remembers already is not written again: that one is
        counted and refreshed, and this origin is added to its own.

        Parameters
        ----------
        origin
            Where it comes from: self, person, body, web or tool.
        now
            Seconds since 1970.
        importance
            0..1.
        topic
            Note it belongs to, `/` between folders; empty: the unsorted one.
        resident
            Whether she shall always know it. What no longer fits then goes into the notes; so
            does a text longer than a quarter of the cap.

        Raises
        ------
        MemoryRefused
            If there is nothing in it, it is longer than 8,000 characters, or the origin or
            importance is none.
        """
        text = _checked(text, origin, importance)
        at = now // 60 * 60
        with self._lock:
            known = self.catalogue.ask(lambda index: _same(index, text))
            new = Entry(mark(text, origin, at), text, at, (origin,), importance)
            results: list[Remembered] = []

            def make() -> tuple[list[Note], Pages]:
                notes, pages, result = self.keeping.remember(new, known, topic, resident)
                results.append(result)
                return notes, pages

            self.catalogue.enter(self.notebook.change(make))
            return results[-1]

    def forget(self, id_or_text: str) -> list[Entry]:
        """Forget an entry by its mark, or those that contain a text.

        Returns
        -------
        list
            What is gone; empty if there is no such thing.

        Raises
        ------
        MemoryRefused
            If the text is a single character, or fits more than 5 entries.
        """
        wanted = clean(id_or_text)
        with self._lock:
            entries = self.catalogue.ask(lambda index: index.by_id(wanted))
            if not entries:
                if len(wanted) < SHORTEST_FORGOTTEN:
                    raise MemoryRefused(f'{wanted!r} is too short to forget by')
                entries = self.catalogue.ask(
                    lambda index: index.by_text(wanted, MOST_FORGOTTEN + 1)
                )
            if len(entries) > MOST_FORGOTTEN:
                raise MemoryRefused(
                    f'{wanted!r} fits more than {MOST_FORGOTTEN} memories; say more of it'
                )
            gone: list[Entry] = []

            def make() -> tuple[list[Note], Pages]:
                notes, pages, gone[:] = self.keeping.forget(entries)
                return notes, pages

            self.catalogue.enter(self.notebook.change(make))
            return gone

    def recall(self, query: str, now: float, limit: int = 5) -> list[Hit]:
        """Find what is worth telling for a question in her notes and pages, the best first.

        Relevance (bm25) is weighed with recency and importance.
        """
        terms, query = search_terms(query), clean(query)
        most = max(CANDIDATES, limit)

        def search(index: Index) -> list[Hit]:
            if terms:
                relevance = index.match(terms, most)
            else:
                relevance = index.contains(query, most) if query else {}
            return ranked(index.entries(relevance), relevance, now, terms, limit)

        return self.catalogue.ask_all(search)

    def retrieve(self, view_text: str, now: float, budget: int) -> str:
        """Return what she remembers of what she sees, one line each, in a stable order.

        Parameters
        ----------
        budget
            Most characters. What does not fit is left out whole.
        """
        seen = search_terms(view_text, most=VIEW_TERMS)

        def search(index: Index) -> list[Hit]:
            terms = index.rare(seen, RARE_TERMS, COMMON)
            relevance, entries = index.with_rare(terms, CANDIDATES)
            notes = {n: entry for n, entry in entries.items() if entry.path != RESIDENT}
            return ranked(notes, relevance, now, terms, 2 * MOST_RETRIEVED)

        hits = self.catalogue.ask(search)
        best = hits[0].score if hits else 0.0
        chosen: list[tuple[str, str, str]] = []
        room = budget
        for hit in hits:
            if hit.score < RELATED * best or len(chosen) == MOST_RETRIEVED:
                break
            shown = replace(hit.entry, text=hit.snippet)
            line = resident_memory.line(shown, self.words, self.zone)
            if len(line) <= room:
                chosen.append((hit.entry.path, hit.id, line))
                room -= len(line) + 1
        return '\n'.join(line for *_, line in sorted(chosen))

    def resident_text(self) -> str:
        """Return what she always knows, one line each, never longer than the cap."""
        note = self.notebook.load(RESIDENT)
        if note is not self._resident[0]:
            text = resident_memory.told(note.entries, self.cap, self.words, self.zone)
            self._resident = (note, text)
        return self._resident[1]

    def index_text(self) -> str:
        """Return a short table of the tree of notes."""
        with self._lock:
            sizes = self.catalogue
            sizes.refresh()
            if self._overview[0] != sizes.version:
                rows = sizes.ask(lambda index: index.sizes())
                self._overview = (sizes.version, overview(rows, self.words, self.zone))
            return self._overview[1]

    def rebuild(self) -> int:
        """Make the index anew from the notes; returns the number of entries."""
        return self.catalogue.rebuild()

    def close(self) -> None:
        """Close the index."""
        self.catalogue.close()


def _checked(text: str, origin: str, importance: float) -> str:
    text = clean(text)
    if not text:
        raise MemoryRefused('there is nothing to remember')
    if len(text) > MOST_CHARACTERS:
        raise MemoryRefused(
            f'{len(text)} characters are too many for one memory; at most {MOST_CHARACTERS}'
        )
    if origin not in ORIGINS:
        raise MemoryRefused(f'origin is {origin!r}, known are {", ".join(ORIGINS)}')
    if not 0.0 <= importance <= 1.0:
        raise MemoryRefused(f'importance is {importance!r}, it must be from 0 to 1')
    return text


def _same(index: Index, text: str) -> Entry | None:
    """Return the entry that says the same as a text."""
    exact = index.by_digest(digest(text))
    if exact:
        return exact[0]
    terms = search_terms(text)
    # what says the same but for a word or two has all the terms of one of these groups
    size = _DUPLICATE_TERMS
    long, short = terms.long, terms.short
    groups = (long[:size], long[size : 2 * size], short[:size], short[-size:])
    near = [n for group in groups for n in index.with_all(group, _DUPLICATE_CANDIDATES)]
    entries = index.entries(dict.fromkeys(near))
    for number in dict.fromkeys(near):
        if number in entries and same_statement(entries[number].text, text):
            return entries[number]
    return None
