"""A file with sound that somebody wants to be heard: read with limits, whatever it is."""

from __future__ import annotations

import stat
from pathlib import Path

from soul.voice.sound import Clip, wave_in

#: So much of a file is read, s.
LONGEST = 300.0


def read_recording(path: Path, longest: float = LONGEST) -> tuple[Clip, bool]:
    """Read a WAV file of 16 bit, at most `longest` s of it.

    Returns
    -------
    tuple
        What was read, and whether there is more.

    Raises
    ------
    ValueError
        If it is none, or cannot be read; says why.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # what never ends is none
            raise ValueError('no ordinary file')
        with path.open('rb') as file:
            return wave_in(file, longest)
    except OSError as error:
        raise ValueError(f'it cannot be read: {error.strerror or error}') from None
