"""Settings of the middleware that a process makes for itself."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

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
    file = profiles()
    if file is not None:
        os.environ[VARIABLE] = str(file)


def profiles() -> Path | None:
    """Find the profiles: beside the sources, or in the installed package."""
    here = Path(__file__).resolve().parents[3] / 'config' / FILE
    if here.is_file():
        return here
    try:
        file = Path(get_package_share_directory('soul')) / 'config' / FILE
    except PackageNotFoundError:
        return None
    return file if file.is_file() else None
