"""The tree of notes stays easy to find one's way in."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from soul.mind.dream.answers import asked_about, decisions, listing
from soul.mind.dream.step import Step, StepOutcome
from soul.mind.memory import Entry, Memory
from soul.mind.memory.notebook import NOTE_BYTES, RESIDENT, Note, Pages, without
from soul.mind.memory.topics import NOTES, numbered

SORT, TIDY = 'sort', 'tidy'
MERGE, SPLIT, FOLDERS = 'merge', 'split', 'folders'
#: So many unsorted entries are enough to sort them, and at most so many at once.
LEAST_UNSORTED, MOST_UNSORTED = 5, 30
#: A note of at most so many entries and bytes is tiny; from so many in one folder they are merged.
TINY_ENTRIES, TINY_BYTES, LEAST_TINY = 2, 600, 3
OVERSIZE_BYTES = 2 * NOTE_BYTES
#: Where the tiny notes of a folder come together.
TOGETHER = 'misc'


class TidySteps:
    """Sorting what is unsorted, merging tiny notes, splitting large ones, removing folders."""

    def __init__(self, memory: Memory) -> None:
        self._memory, self._notebook = memory, memory.notebook

    def steps(self, now: float) -> Iterator[Step]:
        """Yield what is to be done; each is looked for when the one before is over."""
        for path in self._inboxes():
            unsorted = asked_about(self._notebook.load(path).entries[:MOST_UNSORTED])
            if len(unsorted) >= LEAST_UNSORTED:
                yield Step(
                    SORT,
                    path,
                    listing(unsorted),
                    self._memory.words.say('dream.sort'),
                    tuple(entry.id for entry in unsorted),
                )
        for folder in sorted(self._tiny()):
            yield Step(TIDY, f'{MERGE}:{folder}')
        for path in self._oversize():
            yield Step(TIDY, f'{SPLIT}:{path}')
        if self._empty_folders():
            yield Step(TIDY, f'{FOLDERS}:{NOTES}')

    def apply(self, step: Step, answer: str, now: float) -> StepOutcome:
        """Do one step.

        Raises
        ------
        AnswerRefused
            If an answer passes over too much; nothing is changed.
        """
        if step.kind == SORT:
            return self._sort(step, answer)
        what, _, key = step.key.partition(':')
        if what == FOLDERS:
            return self._remove_folders(step)

        def make() -> tuple[list[Note], Pages]:
            return self._merge(key) if what == MERGE else self._split(key)

        self._memory.catalogue.enter(self._notebook.change(make))
        return StepOutcome(step, True, 'rule', f'{what} of {key}')

    def _sort(self, step: Step, answer: str) -> StepOutcome:
        decided = decisions(answer, step.ids)
        if decided is None:
            return StepOutcome(step, True, 'rule', 'what is unsorted stays so')
        topics = {decision.id: decision.text for decision in decided if not decision.keep}

        def make() -> tuple[list[Note], Pages]:
            note = self._notebook.load(step.key)
            gone = [entry for entry in note.entries if entry.id in topics]
            by_topic: dict[str, list[Entry]] = defaultdict(list)
            for entry in gone:
                by_topic[topics[entry.id]].append(entry)
            notes: list[Note] = [note]
            pages: Pages = {step.key: without(note, *gone)}
            for topic, entries in by_topic.items():
                read, become = self._memory.keeping.move(entries, topic, pages)
                notes += read
                pages.update(become)
            return notes, pages

        self._memory.catalogue.enter(self._notebook.change(make))
        return StepOutcome(step, True, 'model', f'{len(topics)} entries sorted')

    # --- the tree -------------------------------------------------------------------------

    def _inboxes(self) -> list[str]:
        name = re.escape(self._memory.keeping.inbox.removesuffix('.md'))
        inbox = re.compile(rf'{name}(-\d+)?\.md')
        return [path for path, _ in self._notebook.paths() if inbox.fullmatch(path)]

    def _tiny(self) -> dict[str, list[str]]:
        """Tiny notes that hold nothing but entries, by folder, where they are many."""
        folders: dict[str, list[str]] = defaultdict(list)
        for path, stat in self._notebook.paths():
            if path == RESIDENT or stat.size > TINY_BYTES:
                continue
            folder = PurePosixPath(path).parent.as_posix()
            # at the top each note is a topic of its own
            if folder != NOTES and PurePosixPath(path).stem != TOGETHER:
                note = self._notebook.load(path)
                if len(note.entries) <= TINY_ENTRIES and without(note, *_marked(note)) is None:
                    folders[folder].append(path)
        return {folder: paths for folder, paths in folders.items() if len(paths) >= LEAST_TINY}

    def _merge(self, folder: str) -> tuple[list[Note], Pages]:
        notes = [self._notebook.load(path) for path in self._tiny().get(folder, [])]
        if not notes:
            return [], {}
        place = self._notebook.room(f'{folder}/{TOGETHER}.md')
        into = self._notebook.load(place)
        page = into.page
        for note in notes:
            for entry in note.entries:
                page = self._notebook.added(place, page, entry)
        return [into, *notes], {place: page, **{note.path: None for note in notes}}

    def _oversize(self) -> list[str]:
        return [
            path
            for path, stat in self._notebook.paths()
            if stat.size > OVERSIZE_BYTES
            and path != RESIDENT
            and self._movable(self._notebook.load(path))
        ]

    def _movable(self, note: Note) -> list[Entry]:
        """Return the entries beyond what one note holds."""
        size, kept = 0, 0
        for entry in note.entries:
            size += len((note.page or '')[entry.start : entry.end].encode('utf-8', 'replace'))
            if kept and size > NOTE_BYTES:
                break
            kept += 1
        later = note.entries[kept:]
        return [entry for entry in _marked(note) if entry in later]

    def _split(self, path: str) -> tuple[list[Note], Pages]:
        """Move the later entries into further notes; what else stands there stays."""
        note = self._notebook.load(path)
        gone = self._movable(note)
        notes, pages = [note], Pages({path: without(note, *gone)})
        number, page, place = 2, None, ''
        for entry in gone:
            if not place or len((page or '').encode()) > NOTE_BYTES:
                while (self._notebook.folder / numbered(path, number)).exists():
                    number += 1
                place, page = numbered(path, number), None
                notes.append(Note(place, None, None))
                number += 1
            page = self._notebook.added(place, page, entry)
            pages[place] = page
        return notes, pages

    def _empty_folders(self) -> list[Path]:
        top = self._notebook.folder / NOTES
        return [
            Path(folder)
            for folder, folders, files in os.walk(top, topdown=False)
            if not folders and not files and Path(folder) != top
        ]

    def _remove_folders(self, step: Step) -> StepOutcome:
        count = 0
        while empty := self._empty_folders():
            for folder in empty:
                folder.rmdir()
                count += 1
        return StepOutcome(step, True, 'rule', f'{count} empty folders removed')


def _marked(note: Note) -> list[Entry]:
    """Return the entries that stand there as she writes them; the rest is somebody's own text."""
    page = note.page or ''
    return [entry for entry in note.entries if entry.id in page[entry.start : entry.end]]
