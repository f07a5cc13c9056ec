"""Reading files of other people's making: nothing that is no plain file, and nothing endless."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

#: Larger files are read nowhere, bytes.
LARGEST = 64 << 20


def read_regular(path: Path, most: int = LARGEST) -> bytes:
    """Read a plain file; never waits for somebody at the other end of a pipe.

    Raises
    ------
    OSError
        If it is not there, may not be read, is no plain file, or is larger than `most` bytes.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, 'rb') as file:
        status = os.fstat(file.fileno())
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, 'it is no plain file', str(path))
        if status.st_size > most:
            raise OSError(errno.EFBIG, f'it is larger than {most} bytes', str(path))
        return file.read(most)
