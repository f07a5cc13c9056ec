"""Her life on disk: the home, atomic files, journals, the instance lock."""

from soul.store.atomic import AtomicFile, Unreadable
from soul.store.home import Home, HomeUnusable
from soul.store.journal import Journal
from soul.store.lock import HomeInUse, InstanceLock

__all__ = [
    'AtomicFile',
    'Home',
    'HomeInUse',
    'HomeUnusable',
    'InstanceLock',
    'Journal',
    'Unreadable',
]
