"""The notes on disk: a tree of Markdown files that people may edit while she lives."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path, PurePosixPath

from soul.mind.memory.entry import Entry, parse
from soul.mind.memory.errors import MemoryRefused
from soul.mind.memory.index import Stat
from soul.mind.memory.topics import NOTES, numbered, title
from soul.store.durable import make_folder
from soul.store.pages import ChangedMeanwhile, shown
from soul.store.reading import PageReader
from soul.store.transaction import Change, Transaction

RESIDENT = 'RESIDENT.md'
#: A note of this size is full; a further one is begun, bytes.
NOTE_BYTES = 16384
_ATTEMPTS = 5
#: Copies that programs make of a file that was changed in two places at once: Syncthing,
#: Obsidian, Dropbox and Nextcloud. Her own are no copies but what she could not write.
_CONFLICT = re.compile(
    r'\.sync-conflict-\d{8}-\d{6}|\([^()]*\bconflict(?:ed)?\b[^()]*\)', re.IGNORECASE
)
CONFLICT = (
    '{path} is a copy of a note that was changed in two places at once; it is not remembered '
    'beside the note. Put together what is right and delete it'
)


@dataclass(frozen=True)
class Note:
    """A note as it was read."""

    path: str  # relative to the memory folder
    page: str | None  # None: there is none
    stat: Stat | None
    entries: tuple[Entry, ...] = ()


Pages = dict[str, str | None]


class Notebook:
    """All notes and the resident memory.

    Parameters
    ----------
    folder
        `<home>/memory`; it is made.
    titles
        Titles of notes that do not bear their file's name.
    zone
        Time zone of the dates in the notes; None: the host's.
    """

    def __init__(
        self,
        folder: Path,
        titles: Mapping[str, str] | None = None,
        zone: tzinfo | None = None,
        read_only: bool = False,
    ) -> None:
        self.folder, self.zone = folder, zone
        self._titles = dict(titles or {})
        self.reader = PageReader()
        self.transaction = Transaction(folder)
        self._numbers: dict[str, int] = {}
        self._resident = Note(RESIDENT, None, None)  # as it was read last
        if not read_only:
            make_folder(folder / NOTES)
            self.transaction.recover()

    def paths(self) -> Iterator[tuple[str, Stat]]:
        """Find all notes; other files and hidden ones are none of hers."""
        resident = self.folder / RESIDENT
        if resident.is_file():
            yield RESIDENT, _stat(resident.stat())
        yield from self._below(self.folder / NOTES)

    def _below(self, folder: Path) -> Iterator[tuple[str, Stat]]:
        try:
            found = sorted(os.scandir(folder), key=lambda item: item.name)
        except FileNotFoundError:
            return
        except OSError as error:
            self.reader.failed(folder, error)
            return
        for item in found:
            if item.name.startswith('.') or shown(item.name) != item.name:
                continue
            if item.is_dir(follow_symlinks=False):
                yield from self._below(Path(item.path))
            elif item.name.endswith('.md') and item.is_file(follow_symlinks=False):
                if is_conflict_copy(item.name):
                    self.reader.note(Path(item.path), CONFLICT.format(path=item.path))
                    continue
                yield self.relative(Path(item.path)), _stat(item.stat())

    def relative(self, path: Path) -> str:
        """Return a path as notes are called."""
        return path.relative_to(self.folder).as_posix()

    def is_note(self, path: Path) -> bool:
        """Tell whether a file would be a note."""
        relative = self.relative(path)
        if path.suffix != '.md' or shown(relative) != relative or is_conflict_copy(path.name):
            return False
        if any(part.startswith('.') for part in relative.split('/')):
            return False
        return relative == RESIDENT or relative.startswith(f'{NOTES}/')

    def load(self, path: str) -> Note:
        """Read and take apart a note; its path is relative to the memory folder.

        The resident one comes back as the same object while it stays the same: it is looked at
        in each waking.
        """
        file = self.folder / path
        try:
            stat = _stat(file.stat())
        except OSError as error:
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                self.reader.failed(file, error)
            return Note(path, None, None)
        page = self.reader.read(file)
        if page is None:
            return Note(path, None, None)
        if path != RESIDENT:
            return self.parsed(Note(path, page, stat))
        if (self._resident.page, self._resident.stat) != (page, stat):
            self._resident = self.parsed(Note(path, page, stat))
        return self._resident

    def parsed(self, note: Note) -> Note:
        """Return a note with its entries."""
        modified = note.stat.modified / 1e9 if note.stat else 0.0
        entries = parse(note.page or '', note.path, modified, self.zone)
        return replace(note, entries=tuple(entries))

    def room(self, path: str) -> str:
        """Return the note that goes on where `path` is full or something else lies, or itself."""
        path = self._free(path)
        number = self._numbers.get(path, 1)
        while True:
            file = self.folder / numbered(path, number)
            if not os.path.lexists(file):
                break
            if not file.is_symlink() and file.is_file() and file.stat().st_size < NOTE_BYTES:
                break
            number += 1
        self._numbers[path] = number
        return numbered(path, number)

    def _free(self, path: str) -> str:
        """Return a path that no stray file stands in the way of."""
        *folders, name = PurePosixPath(path).relative_to(NOTES).parts
        here = self.folder / NOTES
        for folder in folders:
            here = here / folder
            if os.path.lexists(here) and not here.is_dir():
                return f'{NOTES}/{"-".join([*folders, name])}'
        return path

    def added(self, path: str, page: str | None, entry: Entry) -> str:
        """Return a page with an entry behind all that is there."""
        text = entry.written(self.zone)
        if not page:
            return f'# {self._titles.get(path) or title(path)}\n\n{text}'
        end = '' if page.endswith('\n\n') else '\n' if page.endswith('\n') else '\n\n'
        return page + end + text

    def replaced(self, page: str, entry: Entry, other: Entry) -> str:
        """Return a page with another entry in the place of one."""
        return page[: entry.start] + other.written(self.zone) + page[entry.end :]

    def change(self, make: Callable[[], tuple[list[Note], Pages]]) -> list[str]:
        """Change notes together.

        Parameters
        ----------
        make
            Reads what it changes, returns these notes and what becomes of them. It is called
            anew when somebody else was quicker.

        Returns
        -------
        list
            The paths that changed.

        Raises
        ------
        MemoryRefused
            If somebody else is quicker all the time.
        """
        for _ in range(_ATTEMPTS):
            notes, pages = make()
            before = {note.path: note.page for note in notes}
            changes = [
                Change(self.folder / path, before.get(path), text) for path, text in pages.items()
            ]
            try:
                self.transaction.apply(changes)
            except ChangedMeanwhile:
                continue
            except (IsADirectoryError, PermissionError) as error:
                # what cannot be read lies where a note should be: nothing is written over it
                raise MemoryRefused(f'{error.filename}: {error.strerror}') from error
            return list(pages)
        raise MemoryRefused('the notes are being changed by somebody else all the time')


def is_conflict_copy(name: str) -> bool:
    """Whether a file's name says that it is one of two versions of the same note."""
    return _CONFLICT.search(name) is not None


def without(note: Note, *gone: Entry) -> str | None:
    """Return a note's page without some of its entries; None if nothing but a title is left."""
    page = note.page or ''
    for entry in sorted(gone, key=lambda entry: -entry.start):
        page = page[: entry.start] + page[entry.end :]
    rest = page.strip()
    only_title = not rest or (rest.startswith('# ') and '\n' not in rest)
    return None if only_title and note.path != RESIDENT else page


def _stat(stat: os.stat_result) -> Stat:
    return Stat(stat.st_mtime_ns, stat.st_size)
