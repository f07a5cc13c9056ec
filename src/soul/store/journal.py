"""An append-only journal: one JSON object a line, recovered at a torn tail, rotated.

A crash can leave half a line, or a block of NULs where the file system had not written data
yet. Opening a journal moves a torn tail to `<name>.torn`, so that the next entry does not fuse
with it; reading skips what is not a JSON object, counts it and goes on with what follows.
"""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from soul.store.durable import make_folder, named, sync_directory, write_all

MEBIBYTE = 1 << 20
_BEFORE_A_LINE = b'\0' + codecs.BOM_UTF8
#: So many odd lines are named one by one.
MOST_TOLD = 5


class Journal:
    """One journal file of one owner.

    Parameters
    ----------
    path
        The file; it is created by the first entry.
    rotate_bytes
        A file that has grown to this size is renamed to `<stem>.1<suffix>` and begun anew;
        0: never.
    keep
        How many rotated files are kept; 0: all of them.
    """

    def __init__(self, path: Path, rotate_bytes: int = 4 * MEBIBYTE, keep: int = 8) -> None:
        self.path = path
        self.anomalies: list[str] = []
        self._rotate_bytes = rotate_bytes
        self._keep = keep
        self._file: BinaryIO | None = None
        self._identity = (0, 0)  # of the open file: device and inode
        self._end = 0  # of the open file, bytes

    def append(self, entry: Mapping[str, Any], durable: bool = True) -> None:
        """Append an entry.

        A plain append survives the death of the process; a durable one is on the disk when
        this returns.

        Raises
        ------
        OSError
            The entry is not in the journal then.
        """
        text = json.dumps(entry, ensure_ascii=False, separators=(',', ':'))
        line = text.encode('utf-8', 'surrogatepass') + b'\n'
        file = self._open()
        try:
            write_all(file, line)
            if durable:
                os.fdatasync(file.fileno())
        except OSError as error:
            os.ftruncate(file.fileno(), self._end)
            raise named(error, self.path) from error
        self._end += len(line)
        if self._rotate_bytes and self._end >= self._rotate_bytes:
            self._rotate()

    def sync(self) -> None:
        """Bring everything appended so far to the disk.

        Raises
        ------
        OSError
            If it cannot be brought there.
        """
        if self._file is not None:
            try:
                os.fdatasync(self._file.fileno())
            except OSError as error:
                raise named(error, self.path) from error

    def entries(
        self,
        newest_bytes: int = 0,
        unfit: Callable[[dict[str, Any]], str] = lambda entry: '',
    ) -> Iterator[dict[str, Any]]:
        """Read the entries of the current file, oldest first.

        What cannot be read or does not fit stays in the file and is passed over; `anomalies`
        says which line of which file it is, and why.

        Parameters
        ----------
        newest_bytes
            Read only about so many bytes from the end, over the rotated file before the
            current one if that alone is shorter; 0: the whole current file.
        unfit
            Says why an entry is none of this journal; empty: it is.
        """
        self._mend_tail()
        paths = [self.path]
        left = newest_bytes
        if newest_bytes:
            left -= _size(self.path)
            if left > 0:
                paths.insert(0, self._rotated(1))
        for path in paths:
            yield from self._read(path, left if path != self.path else newest_bytes, unfit)

    def close(self) -> None:
        """Close the file; the next entry opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(
        self, path: Path, newest_bytes: int, unfit: Callable[[dict[str, Any]], str]
    ) -> Iterator[dict[str, Any]]:
        try:
            file = path.open('rb')
        except FileNotFoundError:
            return
        with file:
            skip = max(0, _size(path) - newest_bytes) if newest_bytes else 0
            if skip:
                file.seek(skip - 1)
                file.readline()
            begun = file.tell()
            bad: list[tuple[int, str]] = []  # lines after the place where reading began
            for number, line in enumerate(file):
                entry = _parse(line)
                if entry is None:
                    if line.strip():
                        bad.append((number, 'unreadable: no JSON object'))
                elif why := unfit(entry):
                    bad.append((number, why))
                else:
                    yield entry
        if bad:
            before = 1 + _lines(path, begun)
            told = [f'line {before + number} ({why[:200]})' for number, why in bad[:MOST_TOLD]]
            more = f' and {len(bad) - MOST_TOLD} more' if len(bad) > MOST_TOLD else ''
            self.anomalies.append(f'{path}: passed over {", ".join(told)}{more}')

    def _open(self) -> BinaryIO:
        if self._file is not None and _identity(self.path) != self._identity:
            # What is written to a file without a name is lost, and nothing says so.
            self.anomalies.append(f'{self.path} had vanished and was begun anew')
            self.close()
            make_folder(self.path.parent)
        if self._file is None:
            if (
                not self.path.parent.is_dir()
            ):  # somebody has removed it before anything was written
                make_folder(self.path.parent)
                self.anomalies.append(f'{self.path.parent} had vanished and was made anew')
            self._mend_tail()
            new = not self.path.exists()
            self._file = open(self.path, 'ab', buffering=0, opener=_private)  # noqa: SIM115
            self._identity = _identity(self.path)
            self._end = self._file.tell()
            if new:
                sync_directory(self.path.parent)
        return self._file

    def _mend_tail(self) -> None:
        if self._file is not None or _size(self.path) == 0:
            return
        with self.path.open('rb+') as file:
            tail = _tail_after_newline(file)
            if not tail:
                return
            if _parse(tail) is not None:
                file.seek(0, os.SEEK_END)
                file.write(b'\n')
                return
            aside = self.path.with_name(f'{self.path.name}.torn')
            with open(aside, 'ab', opener=_private) as torn:
                torn.write(tail + b'\n')
            file.truncate(_size(self.path) - len(tail))
        self.anomalies.append(f'{self.path.name}: a torn last line of {len(tail)} bytes set aside')

    def _rotated(self, number: int) -> Path:
        return self.path.with_name(f'{self.path.stem}.{number}{self.path.suffix}')

    def _rotate(self) -> None:
        try:
            self.sync()  # a later one would reach the new file only
        except OSError:
            return  # with the next entry, then
        self.close()
        number = 1
        while self._rotated(number).exists():
            number += 1
        if self._keep:
            for surplus in range(self._keep, number):
                self._rotated(surplus).unlink()
            number = min(number, self._keep)
        for older in range(number, 1, -1):
            os.replace(self._rotated(older - 1), self._rotated(older))
        os.replace(self.path, self._rotated(1))
        sync_directory(self.path.parent)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _identity(path: Path) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return (0, 0)
    return status.st_dev, status.st_ino


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _lines(path: Path, end: int) -> int:
    """Count the lines before a place in a file."""
    count = 0
    with path.open('rb') as file:
        while end > 0 and (chunk := file.read(min(end, MEBIBYTE))):
            count += chunk.count(b'\n')
            end -= len(chunk)
    return count


def _parse(line: bytes) -> dict[str, Any] | None:
    # A block of NULs left by a crash may stand before a whole line, an editor's mark before all.
    line = line.lstrip(_BEFORE_A_LINE).strip()
    if not line:
        return None
    try:
        # as text: of bytes the encoding would be guessed, line by line
        entry = json.loads(line.decode('utf-8', 'surrogatepass'))
    except (ValueError, RecursionError):  # also an endless number, and brackets without end
        return None
    return entry if isinstance(entry, dict) else None


def _tail_after_newline(file: BinaryIO, block: int = 65536) -> bytes:
    """Everything after the last newline."""
    end = file.seek(0, os.SEEK_END)
    tail = b''
    while end > 0:
        start = max(0, end - block)
        file.seek(start)
        chunk = file.read(end - start)
        cut = chunk.rfind(b'\n')
        if cut >= 0:
            return chunk[cut + 1 :] + tail
        tail = chunk + tail
        end = start
    return tail
