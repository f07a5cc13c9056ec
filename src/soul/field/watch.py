"""Watches her files: the workbench with its folders, and the pages of her soul.

A thread sleeps in the kernel until something changes (inotify), waits until it is quiet for a
moment, reads what changed and hands it over. Nothing is polled: she may lie still for days. Only
where the system watches nothing more for her, it looks every few seconds.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from inotify_simple import INotify, flags

from soul.field.bench_file import BenchFile
from soul.store.reading import FileState, file_state, is_settled
from soul.store.stoppable_thread import StoppableThread

#: Editors write in several steps: a change is told when so long nothing more came, s; but at the
#: latest after so long.
QUIET, LATEST = 0.2, 2.0
#: Pause between two looks where the system does not watch, s.
BLIND = 5.0
#: Files above this size are told by size and time of change instead of by content, bytes.
LARGEST = 4 << 20
#: How much of the beginning is told, bytes.
PREVIEW = 1200
#: So many files are known at most, and folders watched.
MOST_FILES, MOST_FOLDERS = 2000, 500

_CHANGES = flags.CREATE | flags.DELETE | flags.MOVED_TO | flags.MOVED_FROM | flags.CLOSE_WRITE


class Watcher:
    """Tells what changes in her files.

    Parameters
    ----------
    home
        Her home; paths are told relative to it where they lie below it.
    bench
        Folder of the workbench, with all below it.
    pages
        Folder of the pages of her soul: the Markdown files in it.
    changed
        Called on the watcher's thread with what has changed; first of all with what is there.
    say
        Called there, once, if the system does not watch for her.
    """

    def __init__(
        self,
        home: Path,
        bench: Path,
        pages: Path,
        changed: Callable[[list[BenchFile]], None],
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._home = home
        self._bench, self._pages = home / bench, home / pages
        self._changed = changed
        self._say = say
        self._blind = False  # not all of it is watched by the system
        self._digests: dict[Path, str] = {}
        self._known: dict[Path, tuple[FileState, tuple[str, str, float]]] = {}
        self._folders: dict[int, Path] = {}
        self._thread = StoppableThread('bench', self._work)

    def start(self) -> Watcher:
        """Begin to watch on a thread of its own; returns itself."""
        self._thread.start()
        return self

    def close(self) -> None:
        """End the watching thread."""
        self._thread.close()

    # --- the thread -------------------------------------------------------------------------

    def _work(self) -> None:
        inotify: INotify | None = None
        try:
            inotify = INotify()
        except OSError as error:
            self._go_blind(error)
        with inotify or contextlib.nullcontext():
            self._watch(inotify)
            self._look(found=True)
            while self._wait(inotify):
                self._watch(inotify)  # folders that are new
                self._look(found=False)

    def _go_blind(self, error: OSError) -> None:
        if not self._blind:
            self._blind = True
            self._say(
                f'her files are looked at every {BLIND:g} s: the system watches nothing more for '
                f'her ({error.strerror or error})'
            )

    def _wait(self, inotify: INotify | None) -> bool:
        """Wait for a change and for quiet after it; False when it is time to end."""
        latest: float | None = None
        while True:
            at_rest = BLIND if self._blind else None
            left = at_rest if latest is None else min(QUIET, latest - time.monotonic())
            if left is not None and left <= 0:
                return True
            happened = self._thread.sleep(inotify, left)
            if not happened:
                return happened is not None
            if inotify is not None and self._matters(inotify) and latest is None:
                latest = time.monotonic() + LATEST

    def _matters(self, inotify: INotify) -> bool:
        """Read what has happened; her other files and half-written ones do not matter."""
        matters = False
        for event in inotify.read(timeout=0):
            folder = self._folders.get(event.wd)
            if event.mask & flags.IGNORED:
                self._folders.pop(event.wd, None)
            elif folder == self._home:
                matters |= event.name in (self._bench.name, self._pages.name)
            elif folder is not None:
                matters |= not event.name.startswith('.')
        return matters

    def _watch(self, inotify: INotify | None) -> None:
        """Watch all folders; a folder that is watched already keeps its number."""
        if inotify is None:
            return
        # her home only for the two folders to appear in it
        wanted = [self._home, self._pages, *self._bench_folders()]
        for folder in wanted:
            try:
                self._folders[inotify.add_watch(folder, _CHANGES)] = folder
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.ENOMEM):
                    self._go_blind(error)
                # otherwise it is not there, or just gone

    def _bench_folders(self) -> list[Path]:
        found = []
        for folder, names, _ in os.walk(self._bench):
            names[:] = [name for name in sorted(names) if not name.startswith('.')]
            found.append(Path(folder))
            if len(found) >= MOST_FOLDERS:
                break
        return found

    def _look(self, found: bool) -> None:
        """Compare all files with what they were, and tell the difference."""
        changes = []
        there = set()
        for path in self._paths():
            read = self._read(path)
            if read is None:
                continue
            there.add(path)
            digest, preview, changed = read
            if self._digests.get(path) != digest:
                self._digests[path] = digest
                changes.append(
                    BenchFile(
                        self._name(path), digest, preview, changed, self._is_bench(path), found
                    )
                )
        for path in [path for path in self._digests if path not in there]:
            del self._digests[path]
            self._known.pop(path, None)
            changes.append(BenchFile(self._name(path), bench=self._is_bench(path)))
        if changes:
            self._changed(changes)

    def _paths(self) -> Iterator[Path]:
        count = 0
        places = [(folder, '*') for folder in self._bench_folders()] + [(self._pages, '*.md')]
        for folder, pattern in places:
            with contextlib.suppress(OSError):
                for path in sorted(folder.glob(pattern)):
                    if path.name.startswith('.') or path.is_symlink() or not path.is_file():
                        continue
                    count += 1
                    if count > MOST_FILES:
                        return
                    yield path

    def _read(self, path: Path) -> tuple[str, str, float] | None:
        """Return digest, beginning and time of change of a file, which is read if that differs."""
        state = file_state(path)
        if state is not None and (known := self._known.get(path)) and known[0] == state:
            return known[1]
        self._known.pop(path, None)
        read = self._read_anew(path)
        if read is not None and state is not None and is_settled(state):
            self._known[path] = state, read
        return read

    def _read_anew(self, path: Path) -> tuple[str, str, float] | None:
        try:
            stat = path.stat()
            with path.open('rb') as file:
                if stat.st_size > LARGEST:
                    beginning = file.read(PREVIEW)
                    digest = f'{stat.st_size}-{stat.st_mtime_ns}'
                else:
                    content = file.read()
                    beginning = content[:PREVIEW]
                    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        except OSError:
            return None
        # what is no text says nothing to her
        preview = '' if b'\0' in beginning else beginning.decode('utf-8', 'ignore')
        return digest, preview, stat.st_mtime

    def _name(self, path: Path) -> str:
        with contextlib.suppress(ValueError):
            return path.relative_to(self._bench).as_posix()
        with contextlib.suppress(ValueError):
            return path.relative_to(self._home).as_posix()
        return path.as_posix()

    def _is_bench(self, path: Path) -> bool:
        return path.is_relative_to(self._bench)
