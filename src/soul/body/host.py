"""The host as part of the body: load, memory, storage, connectivity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psutil

from soul.signals import NO, YES


@dataclass(frozen=True)
class HostReading:
    """The host at one moment; shares are 0..1."""

    cpu: float
    memory: float
    disk: float
    online: int


def read(home: Path) -> HostReading:
    """Look at the host."""
    links = psutil.net_if_stats()
    online = any(s.isup for name, s in links.items() if name != 'lo')
    return HostReading(
        cpu=psutil.cpu_percent(interval=None) / 100.0,
        memory=psutil.virtual_memory().percent / 100.0,
        disk=psutil.disk_usage(str(home)).percent / 100.0,
        online=YES if online else NO,
    )
