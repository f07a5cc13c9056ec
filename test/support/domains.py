"""A ROS domain of its own for each test, also beside other test runs and living robots."""

import contextlib
import fcntl
import os
import random
import tempfile
from pathlib import Path

#: Highest domain whose ports lie below Linux's ephemeral ones.
HIGHEST = 101
#: Ports of the first domain, and how many each has (RTPS 9.6.2).
FIRST_PORT = 7400
PORTS = 250


def used_domains():
    """The domains on which somebody on this machine listens at this moment, ours or not."""
    used = set()
    for table in ('/proc/net/udp', '/proc/net/udp6'):
        with contextlib.suppress(FileNotFoundError), open(table) as lines:
            next(lines)
            for line in lines:
                port = int(line.split()[1].rpartition(':')[2], 16)
                used.add((port - FIRST_PORT) // PORTS)
    return used


@contextlib.contextmanager
def own_domain():
    """Hold a domain id that nobody else uses.

    A lock keeps other tests out, also those that have not opened any port yet; free ports show
    that no robot lives there.
    """
    folder = Path(tempfile.gettempdir()) / f'soul-test-domains-{os.getuid()}'
    folder.mkdir(exist_ok=True)
    used = used_domains()
    candidates = [domain for domain in range(1, HIGHEST + 1) if domain not in used]
    random.shuffle(candidates)
    for domain in candidates:
        with open(folder / str(domain), 'w') as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            if domain in used_domains():  # somebody has come in between
                continue
            yield domain
            return
    raise RuntimeError('all ROS domains are in use')
