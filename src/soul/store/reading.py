"""Shared pages as she reads them, and what was odd about them.

A page that cannot be read costs that page and nothing else: it is left out, and told of once.
So is one that somebody's editor has written in another encoding, although it is read.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from soul.store.pages import decoded, page_digest, read_bytes_of

#: A file that was changed less than this ago may change again without its times showing it, ns.
FRESH_NANOSECONDS = 100_000_000

#: What tells a changed file: device, inode, size, and when content and entry were changed, ns.
FileState = tuple[int, int, int, int, int]


def file_state(path: Path) -> FileState | None:
    """Return what tells whether a file has changed; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return state_of(status)


def state_of(status: os.stat_result) -> FileState:
    """Return what tells whether a file has changed, from its status."""
    times = status.st_mtime_ns, status.st_ctime_ns
    return (status.st_dev, status.st_ino, status.st_size, *times)


def is_settled(state: FileState) -> bool:
    """Whether the next change of a file will show in its state.

    Times in the future are of a clock that has been set back since: the next change bears others.
    """
    return abs(time.time_ns() - max(state[3:])) > FRESH_NANOSECONDS


class PageReader:
    """Reads pages and remembers what was odd about which."""

    def __init__(self) -> None:
        self._odd: dict[Path, str] = {}  # what is odd about a page now
        self._unreadable: set[Path] = set()
        self._news: list[str] = []
        self._kept: dict[Path, tuple[FileState, str]] = {}
        self._digests: dict[Path, tuple[FileState, str]] = {}

    def read(self, path: Path) -> str | None:
        """Read a page; None if there is none, or if it cannot be read.

        One that has not changed since it was read last comes back as the same object.
        """
        state = file_state(path)
        if state is not None and (kept := self._kept.get(path)) is not None and kept[0] == state:
            return kept[1]
        self._kept.pop(path, None)
        read = self.load(path)
        if read is None:
            return None
        if path not in self._odd and state is not None and is_settled(state):
            self._kept[path] = state, read[1]
        return read[1]

    def digest(self, path: Path) -> str | None:
        """Return the digest of a page; None where :meth:`read` returns None.

        It is made anew only when the page has changed.
        """
        state = file_state(path)
        if state is not None and (kept := self._digests.get(path)) is not None:
            if kept[0] == state:
                return kept[1]
            del self._digests[path]
        text = self.read(path)
        if text is None:
            return None
        digest = page_digest(text)
        if path not in self._odd and state is not None and is_settled(state):
            self._digests[path] = state, digest
        return digest

    def load(self, path: Path) -> tuple[bytes, str] | None:
        """Read a page without keeping it: its bytes and its text; None where :meth:`read` is."""
        try:
            data = read_bytes_of(path)
        except OSError as error:
            self.failed(path, error)
            return None
        if data is None:
            self.well(path)
            return None
        self._unreadable.discard(path)
        text, encoding = decoded(data)
        if encoding == 'utf-8':
            self.well(path)
        elif encoding:
            self.note(
                path,
                f'{path} is written in {encoding.upper()}; it is read, and becomes UTF-8 when she '
                'writes to it',
            )
        else:
            self.note(path, f'{path} holds bytes that are no UTF-8; they are kept, shown as marks')
        return data, text

    def failed(self, path: Path, error: OSError) -> None:
        """Remember that a file or folder could not be read and is left out."""
        self.note(path, f'{path} cannot be read and is left out: {error.strerror or error}')
        self._unreadable.add(path)

    def well(self, path: Path) -> None:
        """Remember that a file or folder can be read, or is not there."""
        self._unreadable.discard(path)
        self._odd.pop(path, None)

    def note(self, path: Path, what: str) -> None:
        """Remember that something is odd about a file; told once while it stays so."""
        if self._odd.get(path) != what:
            self._odd[path] = what
            self._news.append(what)

    def unreadable(self, path: Path) -> bool:
        """Whether a page could not be read when it was last tried."""
        return path in self._unreadable

    def news(self) -> list[str]:
        """Return what nobody was told yet, in words."""
        news, self._news = self._news, []
        return news
