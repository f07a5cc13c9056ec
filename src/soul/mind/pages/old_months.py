"""The old months of her diary, each read only when it has changed.

What is known of an unchanged month (its digest, how many entries it has, of which days) is kept
in DIARY/.months.json across starts. The file is derived: without it the months are read once.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cache, lru_cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from soul.mind.pages.entries import PageEntry, dated_sections
from soul.mind.pages.months import FOLDER, is_month
from soul.store.pages import encode, page_digest, text_of
from soul.store.reading import FileState, PageReader, file_state, is_settled, state_of
from soul.store.text import replace_text
from soul.text.stamps import local

FILE = '.months.json'
#: So many entries that were read last are kept: the newest ones are shown at each waking.
_ENTRIES = 24


@dataclass(frozen=True)
class Month:
    """What is known of one old month."""

    name: str  # relative to the soul directory
    state: FileState  # of the file when it was read
    digest: str
    days: tuple[str, ...]  # on which it has entries: 2026-11-30; sorted
    starts: tuple[int, ...]  # where its entries begin, in bytes; in the order of the page
    times: tuple[float, ...]  # of its entries, s since 1970
    plain: bool  # whether it is UTF-8; else it is read whole for each entry

    @property
    def count(self) -> int:
        """How many entries it has."""
        return len(self.starts)


@cache
def _months() -> TypeAdapter[list[Month]]:
    """Make the reader of the file when it is read first: a start has better things to do."""
    return TypeAdapter(list[Month])


class OldMonths:
    """The files in `soul/DIARY`.

    Parameters
    ----------
    folder
        The soul directory.
    reader
        Hears what is odd about the files.
    zone
        Time zone of the dates in the pages; None: the host's.
    """

    def __init__(self, folder: Path, reader: PageReader, zone: tzinfo | None = None) -> None:
        self._soul, self._folder = folder, folder / FOLDER
        self._reader, self._zone = reader, zone
        self._known = {month.name: month for month in self._remembered()}
        self._read_entry = lru_cache(_ENTRIES)(self._read)

    def look(self) -> list[Month]:
        """Return the months there are now, oldest first; those that have changed are read."""
        return self._look(self._files())

    def found(self) -> list[Month]:
        """Return the months as they were found last, oldest first."""
        return list(self._known.values())

    def _look(self, files: Sequence[Path]) -> list[Month]:
        months, unsettled, before = [], False, dict(self._known)
        for path in files:
            if not is_month(path.name):
                continue
            month = self._month(path)
            if month is not None:
                months.append(month)
                unsettled |= not is_settled(month.state)
        self._known = {month.name: month for month in months}
        if self._known != before and not unsettled:
            self._remember(months)
        return months

    def versions(self) -> dict[str, str]:
        """Return the digests of all pages in the folder, also of those that are no months."""
        files = self._files()
        digests = {month.name: month.digest for month in self._look(files)}
        for path in files:
            if not is_month(path.name) and (digest := self._reader.digest(path)) is not None:
                digests[self._name(path)] = digest
        return digests

    def entry(self, month: Month, number: int) -> PageEntry | None:
        """Read one entry; None if the month has been changed just now."""
        start = month.starts[number]
        end = month.starts[number + 1] if number + 1 < month.count else month.state[2]
        if month.plain:
            return self._read_entry(month.name, month.state, start, end)
        return self._read_entry(month.name, month.state, 0, month.state[2], number)

    def _read(
        self, name: str, state: FileState, start: int, end: int, number: int | None = None
    ) -> PageEntry | None:
        try:
            with (self._soul / name).open('rb') as file:
                if state_of(os.fstat(file.fileno())) != state:
                    return None
                file.seek(start)
                data = file.read(end - start)
        except OSError:
            return None
        text = text_of(data) if number is not None else data.decode('utf-8', 'surrogateescape')
        entries = dated_sections(text, self._zone)
        return entries[number or 0] if entries else None

    def of_day(self, day: str) -> Iterator[PageEntry]:
        """Read the entries of a day (2026-11-30) in all old months."""
        for month in self.look():
            if day not in month.days:
                continue
            for number, at in enumerate(month.times):
                if self.day(at) == day and (entry := self.entry(month, number)) is not None:
                    yield entry

    def day(self, at: float) -> str:
        """Return the day of a time, seconds since 1970: `2026-11-30`."""
        return f'{local(at, self._zone):%Y-%m-%d}'

    def _files(self) -> list[Path]:
        try:
            with os.scandir(self._folder) as items:
                names = [item.name for item in items]
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not self._folder.is_symlink():
                self._reader.well(self._folder)  # no month is over yet
            else:
                self._reader.failed(self._folder, error)
            return []
        self._reader.well(self._folder)
        return [
            self._folder / name
            for name in sorted(names)
            if name.endswith('.md') and not name.startswith('.')
        ]

    @staticmethod
    def _name(path: Path) -> str:
        return f'{FOLDER}/{path.name}'

    def _month(self, path: Path) -> Month | None:
        state, name = file_state(path), self._name(path)
        known = self._known.get(name)
        if known is not None and known.state == state and is_settled(known.state):
            return known
        read = self._reader.load(path)
        if read is None or state is None:
            return None
        data, text = read
        entries = dated_sections(text, self._zone)
        encoded = encode(text)
        here, place, starts = len(data) - len(encoded), 0, []  # behind a mark of the byte order
        for entry in entries:
            here += len(encode(text[place : entry.start]))
            starts.append(here)
            place = entry.start
        times = tuple(entry.at or 0.0 for entry in entries)
        return Month(
            name,
            state,
            page_digest(text),
            tuple(sorted({self.day(at) for at in times})),
            tuple(starts),
            times,
            data.endswith(encoded),
        )

    def _remembered(self) -> list[Month]:
        try:
            return _months().validate_json((self._folder / FILE).read_bytes())
        except (OSError, ValidationError):
            return []  # derived: the months are read again

    def _remember(self, months: list[Month]) -> None:
        text = json.dumps(_months().dump_python(months, mode='json'))
        # Derived: on a full disk it is written at another time.
        with contextlib.suppress(OSError):
            replace_text(self._folder / FILE, f'{text}\n')
