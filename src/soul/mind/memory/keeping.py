"""What becomes of the notes when something is remembered, moved or forgotten."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from soul.mind.memory import resident
from soul.mind.memory.entry import Entry
from soul.mind.memory.notebook import RESIDENT, Note, Notebook, Pages, without
from soul.mind.memory.topics import note_path
from soul.text.phrases import Phrases


@dataclass(frozen=True)
class Remembered:
    """What came of remembering."""

    id: str
    merged: bool  # she knew it already: it was counted and refreshed
    resident: bool
    path: str  # where it stands, relative to the memory folder


class Keeping:
    """Makes the new pages; writes nothing itself.

    Parameters
    ----------
    cap
        Most characters of the resident memory as she reads it.
    """

    def __init__(self, notebook: Notebook, words: Phrases, cap: int) -> None:
        self._notebook, self._words, self.cap = notebook, words, cap
        self.inbox = note_path(words.say('memory.inbox'), 'inbox')

    def remember(
        self, new: Entry, known: Entry | None, topic: str, to_resident: bool
    ) -> tuple[list[Note], Pages, Remembered]:
        """Return the notes read, what becomes of them, and what that means.

        Parameters
        ----------
        known
            The entry that says the same already.
        topic
            Note it belongs to; empty: the unsorted one.
        """
        note = self._notebook.load(known.path) if known else None
        old = found(note, known)
        entry = old.merged(new.origins[0], new.at, new.importance) if old else new
        short = len(entry.text) <= self.cap * resident.LARGEST_PART
        to_resident = to_resident and short
        if old and note and (not to_resident or note.path == RESIDENT):
            page = self._notebook.replaced(note.page or '', old, entry)
            there = note.path == RESIDENT
            return [note], {note.path: page}, Remembered(entry.id, True, there, note.path)
        notes: list[Note] = []
        pages: Pages = {}
        if old and note:
            notes.append(note)
            pages[note.path] = without(note, old)
        if to_resident:
            more, moved = self._into_resident(entry, pages)
            place = RESIDENT
        else:
            place = self._notebook.room(note_path(topic, self._words.say('memory.inbox')))
            more, moved = self._into(place, [entry])
        remembered = Remembered(entry.id, old is not None, to_resident, place)
        return [*notes, *more], {**pages, **moved}, remembered

    def move(
        self, entries: Sequence[Entry], topic: str, taken: Collection[str] = ()
    ) -> tuple[list[Note], Pages]:
        """Return what becomes of the note of a topic when entries are added to it.

        Parameters
        ----------
        taken
            Notes that change otherwise at the same time.
        """
        path = note_path(topic, self._words.say('memory.inbox')) if topic else self.inbox
        place = self._notebook.room(path)
        while place in taken:
            place = place.removesuffix('.md') + '-more.md'
        return self._into(place, entries)

    def surplus(self, entries: Sequence[Entry], now: float, room: int) -> list[Entry]:
        """Return the resident entries of least worth that do not fit in so many characters."""
        return resident.surplus(entries, now, room, self._words, self._notebook.zone)

    def _into_resident(self, entry: Entry, taken: Collection[str]) -> tuple[list[Note], Pages]:
        into = self._notebook.load(RESIDENT)
        room = self.cap - len(resident.line(entry, self._words, self._notebook.zone)) - 1
        gone = self.surplus(into.entries, entry.at, room)
        pages: Pages = {RESIDENT: self._notebook.added(RESIDENT, without(into, *gone), entry)}
        if not gone:
            return [into], pages
        notes, moved = self.move(gone, '', taken)
        return [into, *notes], {**pages, **moved}

    def _into(self, place: str, entries: Iterable[Entry]) -> tuple[list[Note], Pages]:
        note = self._notebook.load(place)
        page = note.page
        for entry in entries:
            page = self._notebook.added(place, page, entry)
        return [note], {place: page}

    def forget(self, entries: Sequence[Entry]) -> tuple[list[Note], Pages, list[Entry]]:
        """Return the notes read, what becomes of them, and what is gone."""
        notes = [self._notebook.load(p) for p in dict.fromkeys(e.path for e in entries)]
        pages: Pages = {}
        gone: list[Entry] = []
        for note in notes:
            there = [found(note, entry) for entry in entries if entry.path == note.path]
            hit = list(dict.fromkeys(entry for entry in there if entry))
            if hit:
                pages[note.path] = without(note, *hit)
                gone += hit
        return notes, pages, gone


def found(note: Note | None, wanted: Entry | None) -> Entry | None:
    """Return an entry as it stands in a note now; None if it is not there any more."""
    if note is None or wanted is None:
        return None
    same = [entry for entry in note.entries if entry.id == wanted.id]
    return next((entry for entry in same if entry.text == wanted.text), same[0] if same else None)
