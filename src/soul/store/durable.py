"""The few system calls that put bytes on a disk for good."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


def sync_directory(directory: Path) -> None:
    """Make renames and new names in `directory` survive a power cut."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path, mode: int = 0o700, above: int = 0o700) -> None:
    """Make a folder and those above it, so that they survive a power cut.

    Parameters
    ----------
    mode, above
        Of the folder, and of those above it that do not exist yet.
    """
    if not folder.is_dir():
        make_folder(folder.parent, above, above)
        folder.mkdir(mode=mode, exist_ok=True)
        sync_directory(folder.parent)


def write_all(file: BinaryIO, data: bytes) -> None:
    """Write all of `data` to an unbuffered file.

    A disk with room for a part of it takes that part and says so; only the next write fails.

    Raises
    ------
    OSError
        A part may have been written.
    """
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def named(error: OSError, path: str | Path) -> OSError:
    """Return the error with the name of the file it is about."""
    if error.filename is not None:
        return error
    return type(error)(error.errno, error.strerror, str(path))


def write_new(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a whole new file and wait until it is on the disk.

    Raises
    ------
    OSError
        With the file's name; the file is gone again then, so that it takes no room.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(descriptor, 'wb', buffering=0) as file:
            write_all(file, data)
            os.fsync(file.fileno())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise named(error, path) from error


def set_aside(path: Path, label: str) -> Path:
    """Rename a file that cannot be used, so that nothing of it is lost.

    Returns
    -------
    Path
        The new name: `<name>.<label>`, with a number if that exists.
    """
    target = path.with_name(f'{path.name}.{label}')
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f'{path.name}.{label}{number}')
    os.replace(path, target)
    return target
