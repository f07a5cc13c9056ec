"""Shared pages as she reads them, and what was odd about them.

A page that cannot be read costs that page and nothing else: it is left out, and told of once.
So is one that somebody's editor has written in another encoding, although it is read.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from soul.store.pages import decoded, read_bytes_of

#: A file that was changed less than this ago may change again without its times showing it, ns.
FRESH_NANOSECONDS = 100_000_000

#: What tells a changed file: device, inode, size, and when content and entry were changed, ns.
_State = tuple[int, int, int, int, int]


def _state(path: Path) -> _State | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    times = status.st_mtime_ns, status.st_ctime_ns
    return (status.st_dev, status.st_ino, status.st_size, *times)


def _is_old(state: _State) -> bool:
    return time.time_ns() - max(state[3:]) > FRESH_NANOSECONDS


class PageReader:
    """Reads pages and remembers what was odd about which."""

    def __init__(self) -> None:
        self._odd: dict[Path, str] = {}  # what is odd about a page now
        self._unreadable: set[Path] = set()
        self._news: list[str] = []
        self._kept: dict[Path, tuple[_State, str]] = {}

    def read(self, path: Path) -> str | None:
        """Read a page; None if there is none, or if it cannot be read.

        One that has not changed since it was read last comes back as the same object.
        """
        state = _state(path)
        if state is not None and (kept := self._kept.get(path)) is not None and kept[0] == state:
            return kept[1]
        self._kept.pop(path, None)
        text = self._read(path)
        if text is not None and path not in self._odd and state is not None and _is_old(state):
            self._kept[path] = state, text
        return text

    def _read(self, path: Path) -> str | None:
        try:
            data = read_bytes_of(path)
        except OSError as error:
            self.failed(path, error)
            return None
        self._unreadable.discard(path)
        if data is None:
            self._odd.pop(path, None)
            return None
        text, encoding = decoded(data)
        if encoding == 'utf-8':
            self._odd.pop(path, None)
        elif encoding:
            self.note(
                path,
                f'{path} is written in {encoding.upper()}; it is read, and becomes UTF-8 when she '
                'writes to it',
            )
        else:
            self.note(path, f'{path} holds bytes that are no UTF-8; they are kept, shown as marks')
        return text

    def failed(self, path: Path, error: OSError) -> None:
        """Remember that a file or folder could not be read and is left out."""
        self.note(path, f'{path} cannot be read and is left out: {error.strerror or error}')
        self._unreadable.add(path)

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
