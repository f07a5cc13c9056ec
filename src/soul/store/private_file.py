"""Small files with a secret, that only their owner can read: made once, and looked at closely."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from soul.store.durable import make_folder, named, sync_directory, write_new


class PrivateFileUnusable(Exception):
    """A file is not its owner's alone, or no file; says which and what to do."""


def read_private(path: Path, most: int) -> bytes:
    """Read a file, at most so many bytes; links are not followed.

    Raises
    ------
    PrivateFileUnusable
        If it is no file of this user, or others may read it.
    OSError
        If it cannot be read; FileNotFoundError if there is none.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise PrivateFileUnusable(f'{path} is no file of yours')
        if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise PrivateFileUnusable(
                f'others may read {path}: make it yours with chmod 600 {path}'
            )
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def make_private(path: Path, data: bytes) -> None:
    """Make a file, whole and on the disk when it appears; one that is there already stays.

    Of two who make it at once the second keeps what the first has made.

    Raises
    ------
    OSError
        If it cannot be written; then there is none.
    """
    make_folder(path.parent)
    new = path.with_name(f'.{path.name}.{secrets.token_hex(4)}.new')  # in no backup
    write_new(new, data)
    try:
        os.link(new, path, follow_symlinks=False)
    except FileExistsError:
        pass
    except OSError as error:
        raise named(error, path) from error
    finally:
        new.unlink()
    sync_directory(path.parent)
