"""Settings of the middleware that a process makes for itself."""

from __future__ import annotations

import os

from soul.store.shipped import shipped

#: How Fast DDS is told of a file of profiles; the second is its name of old.
VARIABLE = 'FASTDDS_DEFAULT_PROFILES_FILE'
OLD_VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'
FILE = 'fastdds.xml'


def prefer_quick_discovery() -> None:
    """Let Fast DDS notice killed processes, and their successors, within seconds.

    Whoever has chosen profiles keeps them; other middlewares never look at the variables.
    """
    if os.environ.get(VARIABLE) or os.environ.get(OLD_VARIABLE):
        return
    os.environ[VARIABLE] = str(shipped(FILE))
