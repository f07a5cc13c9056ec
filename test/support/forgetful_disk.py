"""A disk that forgets: what a power cut leaves of a home is what was synced, and nothing else.

A file has the data of its last fsync or fdatasync, and is empty if there was none. A directory has
the names of its last fsync: what was made, renamed or removed since is as it was before. That is
the least a file system promises; most keep more.

Between two syncs the disk stays the same while more and more is told to the outside, so the moment
right before a sync is the strictest, and an image is taken there.
"""

import os
import stat
import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

_FDATASYNC, _FSYNC = os.fdatasync, os.fsync
#: What belongs to a database of SQLite, by the end of its name.
_BESIDE = ('', '-wal', '-shm', '-journal')


class _Name(NamedTuple):
    inode: int
    mode: int
    target: str  # of a symbolic link


@dataclass(frozen=True)
class Image:
    """What the disk holds at one moment.

    `before` is the path that is synced next (relative to the root), or whatever else the image was
    taken before; `told` is what the outside knew by then.
    """

    before: str
    told: Any
    root: int
    names: dict
    data: dict
    databases: dict

    def write(self, target):
        """Write it out below a directory that does not exist yet; returns that."""
        self._write_directory(self.root, target)
        for path, content in self.databases.items():
            if (target / path).parent.is_dir():
                (target / path).write_bytes(content)
        return target

    def _write_directory(self, inode, target):
        target.mkdir(mode=0o700)
        for name, entry in self.names.get(inode, {}).items():
            path = target / name
            if stat.S_ISDIR(entry.mode):
                self._write_directory(entry.inode, path)
            elif stat.S_ISLNK(entry.mode):
                path.symlink_to(entry.target)
            elif stat.S_ISREG(entry.mode):
                path.write_bytes(self.data.get(entry.inode, b''))
                path.chmod(stat.S_IMODE(entry.mode))


class ForgetfulDisk:
    """Follows what lies for good below a directory; use it as a context.

    Parameters
    ----------
    root
        A directory that exists; what is in it counts as synced.
    told
        Returns what the outside knows now, for the images.
    databases
        Names of those databases that sync each commit. SQLite does that by itself, unseen from
        here, so they are taken as they are; other databases are lost whole.
    """

    def __init__(self, root, told=lambda: None, databases=()):
        self.root = root.resolve()
        self.images = []
        self._told = told
        self._databases = frozenset(databases)
        self._names = {}  # inode of a directory -> name -> entry
        self._data = {}  # inode of a file -> its synced data
        self._held = {}  # inode -> a descriptor, so that no other file gets its number
        self._lock = threading.RLock()
        self._inode = self._hold(self.root)
        for folder, _, files in os.walk(self.root):
            self._sync_names(folder)
            for name in files:
                path = os.path.join(folder, name)
                if stat.S_ISREG(os.lstat(path).st_mode):
                    self._sync_data(path)

    def __enter__(self):
        os.fsync, os.fdatasync = self._synced, self._synced
        return self

    def __exit__(self, *error):
        os.fsync, os.fdatasync = _FSYNC, _FDATASYNC
        self.take('')
        for descriptor in self._held.values():
            os.close(descriptor)

    def now(self, before=''):
        """Return what the disk would hold if the power went now."""
        with self._lock:
            return Image(
                before, self._told(), self._inode, dict(self._names), dict(self._data),
                self._committed(),
            )  # fmt: skip

    def take(self, before):
        """Take an image now."""
        with self._lock:
            self.images.append(self.now(before))

    def _synced(self, file):
        descriptor = file if isinstance(file, int) else file.fileno()
        path = os.readlink(f'/proc/self/fd/{descriptor}')
        if not f'{path}/'.startswith(f'{self.root}/'):
            return
        with self._lock:
            self.take(os.path.relpath(path, self.root))
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                self._sync_names(path)
                self._let_go()
            else:
                self._sync_data(f'/proc/self/fd/{descriptor}')

    def _sync_names(self, folder):
        names = {}
        for entry in os.scandir(folder):
            if _database(entry.name):
                continue
            status = entry.stat(follow_symlinks=False)
            target = os.readlink(entry.path) if entry.is_symlink() else ''
            names[entry.name] = _Name(self._hold(entry.path), status.st_mode, target)
        self._names[self._hold(folder)] = names

    def _sync_data(self, path):
        with open(path, 'rb') as file:
            inode = os.fstat(file.fileno()).st_ino
            self._hold(path, inode)
            self._data[inode] = file.read()

    def _hold(self, path, inode=0):
        follow = 0 if inode else os.O_NOFOLLOW
        descriptor = os.open(path, os.O_PATH | follow)
        inode = os.fstat(descriptor).st_ino
        if inode in self._held:
            os.close(descriptor)
        else:
            self._held[inode] = descriptor
        return inode

    def _let_go(self):
        """Forget files that have no name any more, neither now nor on the disk."""
        named = {entry.inode for names in self._names.values() for entry in names.values()}
        for inode, descriptor in list(self._held.items()):
            if inode not in named and os.fstat(descriptor).st_nlink == 0:
                os.close(self._held.pop(inode))
                self._data.pop(inode, None)
                self._names.pop(inode, None)

    def _committed(self):
        found = {}
        for folder, _, files in os.walk(self.root):
            for name in files:
                database = _database(name)
                if database in self._databases and not name.endswith('-shm'):
                    path = os.path.join(folder, name)
                    with open(path, 'rb') as file:
                        found[os.path.relpath(path, self.root)] = file.read()
        return found


def _database(name):
    """Return the name of the database that a file is part of; empty: of none."""
    for end in _BESIDE:
        if name.endswith(f'.db{end}'):
            return name.removesuffix(end) if end else name
    return ''
