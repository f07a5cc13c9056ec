"""Settings of the middleware that a process makes for itself."""

from __future__ import annotations

import os

from soul.store.shipped import shipped

#: How Fast DDS is told of a file of profiles; the second is its name of old.
VARIABLE = 'FASTDDS_DEFAULT_PROFILES_FILE'
OLD_VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'
FILE = 'fastdds.xml'


#: How far a process is seen; the second is its form of old.
RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
OLD_RANGE = 'ROS_LOCALHOST_ONLY'
#: Machines that are met whatever the range is.
PEERS = 'ROS_STATIC_PEERS'


def prepare() -> None:
    """Make the settings of a process of hers; before the middleware is begun."""
    prefer_quick_discovery()
    stay_on_this_machine()


def stay_on_this_machine() -> None:
    """Be seen on this machine only, unless somebody has said otherwise.

    A persona talks to its own robot; to be seen on the network is somebody's decision.
    """
    if not os.environ.get(RANGE) and not os.environ.get(OLD_RANGE):
        os.environ[RANGE] = 'LOCALHOST'


def stays_on_this_machine() -> bool:
    """Tell whether nobody on another machine can be met, as far as the environment says."""
    chosen = os.environ.get(RANGE, '')
    here = chosen in ('LOCALHOST', 'OFF') or (not chosen and os.environ.get(OLD_RANGE) == '1')
    return here and not os.environ.get(PEERS)


def prefer_quick_discovery() -> None:
    """Let Fast DDS notice killed processes, and their successors, within seconds.

    Whoever has chosen profiles keeps them; other middlewares never look at the variables.
    """
    if os.environ.get(VARIABLE) or os.environ.get(OLD_VARIABLE):
        return
    os.environ[VARIABLE] = str(shipped(FILE))
