"""Makes the guard from what it is born with."""

from __future__ import annotations

from soul.core.context import OrganContext
from soul.core.stopping import watch_stop_file
from soul.guard.audit import Audit
from soul.guard.config import GuardConfig
from soul.guard.guard import Guard
from soul.store.stop_file import StopFile


def make(birth: OrganContext[GuardConfig]) -> Guard:
    """Make the guard."""
    stop_file = StopFile(birth.home.stop_file)
    audit = Audit(birth.home.path / 'guard.db')
    birth.on_close(audit.close)
    guard = Guard(
        birth.config,
        birth.rng,
        audit,
        stop_file.write,
        stop_file.read(),
        birth.memory,
    )
    watch_stop_file(birth, lambda content, now: guard.on_stop_file(content, now))
    return guard
