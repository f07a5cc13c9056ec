"""Lets a part of her begin anew, after somebody has decided so; nothing is thrown away."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from soul.store import Home, InstanceLock
from soul.store.durable import sync_directory
from soul.text.stamps import local


class NothingBegun(Exception):
    """No part of her begins anew; says why."""


#: State files, each with the organ whose it is.
OWNERS = {
    'body.json': 'body_twin',
    'heart.json': 'heart',
    'field.json': 'field',
    'guard.json': 'guard',
    'guard.db': 'guard',
    'mind.json': 'mind',
}
#: Folder under the home to which they are moved.
FOLDER = 'set-aside'


def begin_anew(home: Home, name: str, now: float) -> Path:
    """Move a state file with all its generations out of the way.

    Returns
    -------
    Path
        The folder in which they lie now.

    Raises
    ------
    NothingBegun
        If it is no state file, or none of it is there.
    HomeInUse
        If the organ whose file it is lives in this home.
    OSError
        If it cannot be moved.
    """
    if name not in OWNERS:
        raise NothingBegun(f'{name!r} is no state file; there are {", ".join(OWNERS)}')
    lock = InstanceLock(home.run / f'{OWNERS[name]}.lock', 'soul life begin-anew').acquire()
    try:
        # generations (.1), what was set aside before (.corrupt), what belongs to a database (-wal)
        found = sorted(
            path
            for path in home.path.glob(f'{glob.escape(name)}*')
            if path.name[len(name) : len(name) + 1] in ('', '.', '-')
        )
        if not found:
            raise NothingBegun(f'{home}/{name} is not there: it begins anew by itself')
        folder = home.path / FOLDER / f'{local(now):%Y-%m-%d %H.%M.%S} {name}'
        folder.mkdir(mode=0o700, parents=True)
        for path in found:
            os.rename(path, folder / path.name)
        sync_directory(folder)
        sync_directory(home.path)
    finally:
        lock.release()
    return folder
