"""Her life on disk: the home, atomic files, journals, the instance lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soul.store.atomic import AtomicFile, Unreadable
from soul.store.home import Home, HomeUnusable
from soul.store.journal import Journal
from soul.store.lock import HomeInUse, InstanceLock

if TYPE_CHECKING:
    from soul.store.keeper import Keeper

__all__ = [
    'AtomicFile',
    'Home',
    'HomeInUse',
    'HomeUnusable',
    'InstanceLock',
    'Journal',
    'Keeper',
    'Unreadable',
]


def __getattr__(name: str) -> Any:
    # It brings pydantic along, and the command line needs only to know where she lives.
    if name == 'Keeper':
        from soul.store.keeper import Keeper

        return Keeper
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
