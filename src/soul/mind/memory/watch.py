"""Tells which notes somebody has changed since it was last asked, without looking at them all."""

from __future__ import annotations

import os
from pathlib import Path

from inotify_simple import INotify, flags

_CHANGES = (
    flags.CREATE
    | flags.DELETE
    | flags.CLOSE_WRITE
    | flags.MOVED_TO
    | flags.MOVED_FROM
    | flags.ATTRIB
    | flags.DELETE_SELF
    | flags.MOVE_SELF
)
_ALL = flags.Q_OVERFLOW | flags.IGNORED | flags.DELETE_SELF | flags.MOVE_SELF


class Watch:
    """Watches a folder and all below it.

    Without it (the kernel gives only so many) every look is a look at everything.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._inotify: INotify | None = None
        self._folders: dict[int, Path] = {}

    def changed(self) -> set[Path] | None:
        """Return the files that may have changed since the last call; None: it may be any."""
        if self._inotify is None:
            return None
        files: set[Path] = set()
        for event in self._inotify.read(timeout=0):
            folder = self._folders.get(event.wd)
            if event.mask & (_ALL | flags.ISDIR) or folder is None:
                return None
            files.add(folder / event.name)
        return files

    def renew(self) -> None:
        """Watch all folders there are now; call it before all of them are looked at."""
        self.close()
        try:
            self._inotify = INotify()
            self._add(self._folder)
            for folder, names, _ in os.walk(self._folder):
                for name in names:
                    self._add(Path(folder, name))
        except OSError:
            self.close()

    def _add(self, folder: Path) -> None:
        assert self._inotify is not None
        self._folders[self._inotify.add_watch(folder, _CHANGES)] = folder

    def close(self) -> None:
        """End the watch; every look is at everything then."""
        if self._inotify is not None:
            self._inotify.close()
        self._inotify, self._folders = None, {}
