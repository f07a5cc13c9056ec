"""The few system calls that put bytes on a disk for good."""

from __future__ import annotations

import os
from pathlib import Path


def sync_directory(directory: Path) -> None:
    """Make renames and new names in `directory` survive a power cut."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_new(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a whole new file and wait until it is on the disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, 'wb') as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


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
