"""Her life is irreplaceable: backups of a home, and back."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timezone, tzinfo
from pathlib import Path

from soul.backup import archive
from soul.backup.archive import BadArchive, Kept
from soul.backup.retention import surplus
from soul.store.durable import make_folder, sync_directory, write_new
from soul.store.lock import HomeInUse, twins
from soul.text.stamps import local

_NAME = re.compile(r'soul-(\d{8}T\d{6})Z(?:-\d+)?\.tar\.gz')
_FORM = '%Y%m%dT%H%M%S'
#: How often her files are read anew when they change meanwhile.
_ATTEMPTS = 5
_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_HERE = -100  # AT_FDCWD


class HomeNotEmpty(Exception):
    """Somebody's life lies where another one should be restored."""


def backup(home: Path, target: Path, now: float) -> Path:
    """Make a backup of a home, also of one that lives.

    Parameters
    ----------
    target
        Folder for backups; it is made. It may lie within the home.
    now
        Seconds since 1970; names the archive.

    Returns
    -------
    Path
        The archive. It has been restored for a trial before it bears this name.

    Raises
    ------
    FileNotFoundError
        If there is no such home.
    """
    home, target = home.resolve(), target.resolve()
    if not home.is_dir():
        raise FileNotFoundError(f'there is no home {home}')
    for _ in range(_ATTEMPTS):
        before = archive.signature(home)
        try:
            files = archive.collect(home, target)
        except FileNotFoundError:
            continue  # one of hers went in between: look again
        if archive.signature(home) == before:
            break
    else:
        files = archive.collect(home, target)
    _try_out(files)
    path = _free(target, now)
    archive.write(files, path, now)
    return path


def _try_out(files: list[Kept]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / 'home'
        archive.unpack(files, trial)
        for kept in files:
            if (trial / kept.path).read_bytes() != kept.data:
                raise BadArchive(f'{kept.path} came back different')
            if kept.database:
                with closing(sqlite3.connect(trial / kept.path)) as database:
                    if database.execute('PRAGMA quick_check(1)').fetchone() != ('ok',):
                        raise BadArchive(f'{kept.path} came back damaged')


def _free(target: Path, now: float) -> Path:
    stamp = f'{datetime.fromtimestamp(now, timezone.utc):{_FORM}}Z'
    path, number = target / f'soul-{stamp}.tar.gz', 1
    while path.exists():
        number += 1
        path = target / f'soul-{stamp}-{number}.tar.gz'
    return path


def backups(target: Path) -> dict[Path, float]:
    """Find the archives in a folder and when they were made."""
    found = {}
    for path in sorted(target.glob('soul-*.tar.gz')):
        name = _NAME.fullmatch(path.name)
        if name:
            when = datetime.strptime(name[1], _FORM).replace(tzinfo=timezone.utc)
            found[path] = when.timestamp()
    return found


def daily(home: Path, target: Path, now: float, zone: tzinfo | None = None) -> Path | None:
    """Make a backup if today has none yet, then remove those that need not be kept.

    Returns
    -------
    Path or None
        The new archive, None if there is one of today.
    """
    today = local(now, zone).date()
    times = backups(target)
    if any(local(at, zone).date() == today for at in times.values()):
        return None
    made = backup(home, target, now)
    times = backups(target)
    gone = set(surplus(times.values(), now, zone=zone))
    for path, at in times.items():
        if at in gone and path != made:
            path.unlink()
    return made


def restore(path: Path, home: Path, replace: bool = False) -> Path | None:
    """Restore a backup; a kill at any instant leaves the home before or the one after.

    Parameters
    ----------
    replace
        Whether a home that holds something may give way; it is moved aside whole.

    Returns
    -------
    Path or None
        Where the home before lies now, None if there was nothing.

    Raises
    ------
    BadArchive
        If the archive is damaged; nothing is changed.
    HomeNotEmpty
        If the home holds something and `replace` is not set.
    HomeInUse
        If somebody lives there.
    OSError
        If the home is a mount point: restore beside it and move the files.
    """
    home = home.resolve()
    files = archive.read(path)
    with _nobody_there(home):
        full = home.is_dir() and any(p.name != 'run' for p in home.iterdir())
        if full and not replace:
            raise HomeNotEmpty(
                f'{home} holds a life already; it gives way only when told so (--replace)'
            )
        make_folder(home.parent)
        staged = home.with_name(f'.{home.name}.restoring')
        if staged.exists():
            shutil.rmtree(staged)  # of a restore that died: it was never anybody's home
        archive.unpack(files, staged)
        if not home.exists():
            os.rename(staged, home)
            sync_directory(home.parent)
            return None
        aside, number = home.with_name(f'{home.name}.before-restore'), 1
        while aside.exists():
            number += 1
            aside = home.with_name(f'{home.name}.before-restore-{number}')
        # under this name already, for it holds the life before as soon as they are exchanged
        os.rename(staged, aside)
        _exchange(aside, home)
        sync_directory(home.parent)
        _take_over(aside / archive.MASTER_KEY, home / archive.MASTER_KEY)
        if full:
            return aside
        shutil.rmtree(aside)
        return None


def _take_over(old: Path, new: Path) -> None:
    """Keep the master key of this machine, which no backup holds."""
    if old.is_file() and not new.exists():
        write_new(new, old.read_bytes())


@contextmanager
def _nobody_there(home: Path) -> Iterator[None]:
    """Hold every lock in a home.

    Raises
    ------
    HomeInUse
        Naming the lock that somebody else holds.
    """
    descriptors = []
    try:
        # Held twice: somebody may have removed those of the home itself.
        places = [home / 'run', twins(home)] if home.is_dir() else []
        for path in sorted(path for place in places for path in place.glob('*.lock')):
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            descriptors.append(descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                said = os.read(descriptor, 4096).decode('utf-8', 'replace')
                raise HomeInUse(
                    f'she lives in {home}: {path.name} is held by {said or "somebody"}. '
                    'Let her rest (end it), then restore.'
                ) from None
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _exchange(one: Path, other: Path) -> None:
    """Exchange two names at once, so that there is no moment without a home."""
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE)
    if done == 0:
        return
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS):
        # a file system without it: a kill between these two leaves the staged home beside
        aside = other.with_name(f'.{other.name}.exchanged')
        os.rename(other, aside)
        os.rename(one, other)
        os.rename(aside, one)
        return
    raise OSError(number, f'{other} cannot be replaced ({os.strerror(number)}): restore beside it')
