"""A ROS domain of its own for each test, also across test runs on the same machine."""

import contextlib
import fcntl
import os
import random
import tempfile
from pathlib import Path

#: Highest domain whose ports lie below Linux's ephemeral ones.
HIGHEST = 101


@contextlib.contextmanager
def own_domain():
    """Hold a domain id that nobody else uses; a lock on a file says so."""
    folder = Path(tempfile.gettempdir()) / f'soul-test-domains-{os.getuid()}'
    folder.mkdir(exist_ok=True)
    candidates = list(range(1, HIGHEST + 1))
    random.shuffle(candidates)
    for domain in candidates:
        with open(folder / str(domain), 'w') as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield domain
            return
    raise RuntimeError('all ROS domains are in use')
