"""Plain text files of hers, written so that a kill leaves the old or the new text."""

from __future__ import annotations

import os
from pathlib import Path

from soul.store.durable import make_folder, named, sync_directory, write_all, write_new


def replace_text(path: Path, text: str) -> None:
    """Replace a file's text; it is on the disk when this returns."""
    make_folder(path.parent)
    temporary = path.with_name(f'.{path.name}.new')
    write_new(temporary, text.encode('utf-8', 'replace'))
    os.replace(temporary, path)
    sync_directory(path.parent)


def append_text(path: Path, text: str, heading: str = '') -> None:
    """Append to a file, which begins with `heading` if it is new; on the disk afterwards.

    If it cannot be written whole, for example because the disk is full, the file is as before.
    """
    make_folder(path.parent)
    new = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, 'ab', buffering=0) as file:
        start = file.seek(0, os.SEEK_END)
        data = ((heading if new else '') + text).encode('utf-8', 'replace')
        try:
            write_all(file, data)
            os.fsync(file.fileno())
        except OSError as error:
            os.ftruncate(file.fileno(), start)
            raise named(error, path) from error
    if new:
        sync_directory(path.parent)
