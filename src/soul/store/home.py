"""Where she lives: the home directory and the paths in it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from soul.store.durable import make_folder

#: Environment variable that names the home.
VARIABLE = 'SOUL_HOME'
DEFAULT = '~/.soul'


class HomeUnusable(Exception):
    """A directory she cannot live in, and why."""


class Home:
    """The directory that holds all her state.

    Parameters
    ----------
    path
        The directory; empty: the variable SOUL_HOME, or else ~/.soul.
    """

    def __init__(self, path: str | os.PathLike[str] = '') -> None:
        chosen = os.fspath(path) or os.environ.get(VARIABLE, '') or DEFAULT
        self.path = Path(chosen).expanduser().absolute()

    def __str__(self) -> str:
        return str(self.path)

    def ensure(self) -> Home:
        """Make the directories, readable by their owner only.

        Raises
        ------
        HomeUnusable
            Naming the path, if it cannot be a home.
        OSError
            If there is no room for it at the moment.
        """
        for directory in (self.path, self.run, self.soul):
            try:
                make_folder(directory, above=0o777)
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise
                why = 'it is a file' if directory.is_file() else error.strerror or str(error)
                raise HomeUnusable(self._refusal(directory, why)) from None
            if not os.access(directory, os.R_OK | os.W_OK | os.X_OK):
                raise HomeUnusable(self._refusal(directory, 'she may not write there'))
        return self

    def _refusal(self, directory: Path, why: str) -> str:
        return (
            f'her home is {self.path}, and {directory} cannot be used: {why}. Give a directory '
            f'of yours: --home, soul_home:=... or {VARIABLE}'
        )

    @property
    def run(self) -> Path:
        """What lives no longer than a process: locks and the pty link."""
        return self.path / 'run'

    @property
    def soul(self) -> Path:
        """The soul directory: plain files that people read, too."""
        return self.path / 'soul'

    @property
    def door_key(self) -> Path:
        """The key of her door; see `soul.store.door_key`."""
        return self.path / 'keys' / 'door.key'

    @property
    def stop_file(self) -> Path:
        """While this file exists, nothing acts."""
        return self.path / 'STOP'

    @property
    def body_link(self) -> Path:
        """Symbolic link to the simulated body's serial port."""
        return self.run / 'body.pty'
