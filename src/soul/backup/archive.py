"""One backup: a tar.gz of a home with a list of what is in it and the checksum of each file."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from soul.store.durable import make_folder, sync_directory

MANIFEST = 'MANIFEST.json'
FORM = 1
#: Lives no longer than a process, or is derived by a database from its file.
LEFT_OUT_FOLDERS = ('run', 'backups')
#: The key that all keys of providers are encrypted with: a backup alone must open none of them.
MASTER_KEY = 'master.key'
_DATABASE = b'SQLite format 3\0'
_DATABASE_ENDS = ('-wal', '-shm', '-journal')


class BadArchive(Exception):
    """A backup that cannot be restored; the message says why."""


@dataclass(frozen=True)
class Kept:
    """One file of a backup."""

    path: str  # relative to the home
    data: bytes
    modified: int  # ns
    mode: int
    database: bool = False  # a whole one, read by SQLite itself


def collect(home: Path, left_out: Path | None = None) -> list[Kept]:
    """Read all files of a home; databases by SQLite's own backup, so that they are whole."""
    return [_read(home, path) for path in _files(home, left_out)]


def signature(home: Path) -> list[tuple[str, int, int]]:
    """Tell whether her pages and notes changed while they were read."""
    found = []
    for folder in ('soul', 'memory'):
        for path in sorted((home / folder).rglob('*')):
            if path.is_file() and path.suffix != '.db' and not _is_of_database(path):
                stat = path.stat()
                found.append((str(path), stat.st_mtime_ns, stat.st_size))
    return found


def _files(home: Path, left_out: Path | None) -> Iterator[Path]:
    for folder, folders, names in os.walk(home):
        here = Path(folder)
        if here == home:
            folders[:] = [name for name in folders if name not in LEFT_OUT_FOLDERS]
        folders[:] = sorted(name for name in folders if here / name != left_out)
        for name in sorted(names):
            path = here / name
            if here == home and name.startswith(MASTER_KEY):
                continue
            temporary = name.startswith('.') and name.endswith('.new')
            if path.is_symlink() or temporary or _is_of_database(path) or not path.is_file():
                continue
            yield path


def _is_of_database(path: Path) -> bool:
    return any(
        path.name.endswith(end) and path.with_name(path.name.removesuffix(end)).exists()
        for end in _DATABASE_ENDS
    )


def _read(home: Path, path: Path) -> Kept:
    stat = path.stat()
    with path.open('rb') as file:
        is_database = file.read(len(_DATABASE)) == _DATABASE
    data = _database(path) if is_database else None
    relative, mode = path.relative_to(home).as_posix(), stat.st_mode & 0o777
    if data is None:
        return Kept(relative, path.read_bytes(), stat.st_mtime_ns, mode)
    return Kept(relative, data, stat.st_mtime_ns, mode, True)


def _database(path: Path) -> bytes | None:
    """Copy a database; None if it is corrupt: it is kept as it is then, for people."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / 'copy.db'
        try:
            with (
                closing(sqlite3.connect(path, timeout=10.0)) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
        except sqlite3.DatabaseError:
            return None
        return copy.read_bytes()


def write(files: list[Kept], path: Path, now: float) -> None:
    """Write an archive under its final name, once it is whole and on the disk."""
    manifest = {
        'form': FORM,
        'made': now,
        'files': [
            {
                'path': kept.path,
                'sha256': hashlib.sha256(kept.data).hexdigest(),
                'size': len(kept.data),
                'modified': kept.modified,
                'mode': kept.mode,
            }
            for kept in files
        ],
    }
    make_folder(path.parent)
    partial = path.with_name(f'.{path.name}.new')
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, 'wb') as file:
        with tarfile.open(fileobj=file, mode='w:gz') as tar:
            _put(tar, MANIFEST, json.dumps(manifest, indent=1).encode(), now)
            for kept in files:
                _put(tar, f'home/{kept.path}', kept.data, kept.modified / 1e9)
        file.flush()
        os.fsync(file.fileno())
    try:
        read(partial)
    except BadArchive:
        partial.unlink()
        raise
    os.replace(partial, path)
    sync_directory(path.parent)


def _put(tar: tarfile.TarFile, name: str, data: bytes, modified: float) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = len(data), int(modified), 0o600
    tar.addfile(member, io.BytesIO(data))


def read(path: Path) -> list[Kept]:
    """Read an archive and check all of it.

    Raises
    ------
    BadArchive
        If it is damaged, incomplete, or holds what it does not list.
    """
    try:
        with tarfile.open(path, 'r:gz') as tar:
            found = {
                member.name: file.read()
                for member in tar
                if member.isfile() and (file := tar.extractfile(member))
            }
        manifest = json.loads(found.pop(MANIFEST))
        listed: list[dict[str, Any]] = manifest['files']
        form = manifest['form']
    except KeyError as error:
        raise BadArchive(f'{path}: it has no {error}; it is no backup of a soul') from None
    except (OSError, EOFError, tarfile.TarError, ValueError, TypeError) as error:
        raise BadArchive(f'{path} cannot be read: {error}') from None
    if form != FORM:
        raise BadArchive(f'{path} has form {form!r}, expected {FORM}')
    kept = []
    for entry in listed:
        name = entry['path']
        parts = PurePosixPath(name).parts
        if not parts or name.startswith('/') or '..' in parts:
            raise BadArchive(f'{path}: {name!r} does not lie within a home')
        data = found.pop(f'home/{name}', None)
        if data is None:
            raise BadArchive(f'{path}: {name} is listed and not there')
        if hashlib.sha256(data).hexdigest() != entry['sha256']:
            raise BadArchive(f'{path}: {name} does not match its checksum')
        kept.append(Kept(name, data, int(entry['modified']), int(entry['mode']) & 0o777))
    if found:
        raise BadArchive(f'{path}: {sorted(found)[0]} is there and not listed')
    return kept


def unpack(files: list[Kept], folder: Path) -> None:
    """Write all files into a new folder; they are on the disk when this returns."""
    make_folder(folder.parent)
    folder.mkdir(mode=0o700)
    for kept in files:
        path = folder / kept.path
        make_folder(path.parent)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, kept.mode)
        with os.fdopen(descriptor, 'wb') as file:
            file.write(kept.data)
            file.flush()
            os.fsync(file.fileno())
        os.utime(path, ns=(kept.modified, kept.modified))
    for below, _, _ in os.walk(folder):
        sync_directory(Path(below))
