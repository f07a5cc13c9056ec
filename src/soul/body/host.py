"""The host as part of the body: load, memory, storage, connectivity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import psutil

from soul.signals import NO, YES


@dataclass(frozen=True)
class HostReading:
    """The host at one moment; shares are 0..1, NaN where the host does not tell."""

    cpu: float = math.nan  # load since the reading before
    memory: float = math.nan
    disk: float = math.nan
    online: int = NO


def read(home: Path) -> HostReading:
    """Look at the host; the storage is the one that `home` is on."""
    links = psutil.net_if_stats()
    online = any(s.isup for name, s in links.items() if name != 'lo')
    try:
        disk = psutil.disk_usage(str(home)).percent / 100.0
    except OSError:  # it is gone for the moment, for example a network mount
        disk = math.nan
    return HostReading(
        cpu=psutil.cpu_percent(interval=None) / 100.0,
        memory=psutil.virtual_memory().percent / 100.0,
        disk=disk,
        online=YES if online else NO,
    )
