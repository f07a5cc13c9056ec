"""Where she lives: the home directory and the paths in it."""

from __future__ import annotations

import os
from pathlib import Path

#: Environment variable that names the home.
VARIABLE = 'SOUL_HOME'
DEFAULT = '~/.soul'


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
        NotADirectoryError, PermissionError
            With the path, if it cannot be a home.
        """
        for directory in (self.path, self.run, self.soul):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self

    @property
    def run(self) -> Path:
        """What lives no longer than a process: locks and the pty link."""
        return self.path / 'run'

    @property
    def soul(self) -> Path:
        """The soul directory: plain files that people read, too."""
        return self.path / 'soul'

    @property
    def stop_file(self) -> Path:
        """While this file exists, nothing acts."""
        return self.path / 'STOP'

    @property
    def body_link(self) -> Path:
        """Symbolic link to the simulated body's serial port."""
        return self.run / 'body.pty'
