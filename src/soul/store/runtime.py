"""A folder that belongs to this user alone, for what lives no longer than a process."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from soul.store.home import HomeUnusable

VARIABLE = 'XDG_RUNTIME_DIR'


def runtime_folder() -> Path:
    """Return the folder; it is made if it is not there.

    The user's runtime directory, from the environment or where systemd keeps it; otherwise a
    folder in the temporary one, which anybody could have made before us: so whose it is counts.

    Raises
    ------
    HomeUnusable
        If a folder is there that is not ours alone.
    OSError
        If it cannot be made.
    """
    user = os.geteuid()
    for candidate in (os.environ.get(VARIABLE, ''), f'/run/user/{user}'):
        if os.path.isabs(candidate) and is_ours(Path(candidate)):
            return own_folder(Path(candidate) / 'soul')
    # not what Python would choose: it writes a file to find out, and the disk may be full
    return own_folder(Path(os.environ.get('TMPDIR') or '/tmp') / f'soul-{user}')


def own_folder(path: Path) -> Path:
    """Make a folder that only its owner can use, or make sure that it is one.

    Raises
    ------
    HomeUnusable
        If it is a link, a file, somebody else's, or open to others.
    OSError
        If it cannot be made.
    """
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode):
            raise HomeUnusable(_refusal(path, 'it is no folder')) from None
        if found.st_uid != os.geteuid():
            raise HomeUnusable(_refusal(path, 'it belongs to somebody else')) from None
        if stat.S_IMODE(found.st_mode) & 0o077:
            raise HomeUnusable(_refusal(path, 'others may use it')) from None
    return path


def _refusal(path: Path, why: str) -> str:
    return (
        f'{path} cannot be used for the locks of this user: {why}. Remove it, or name a folder '
        f'of yours in {VARIABLE}'
    )


def is_ours(folder: Path) -> bool:
    """Whether a folder is this user's and nobody else may write there."""
    try:
        found = os.stat(folder)
    except OSError:
        return False
    private = not stat.S_IMODE(found.st_mode) & 0o022
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and private
