"""Where the socket of a home lies, and how a terminal finds the home of who lives somewhere."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from soul.store.home import Home, HomeUnusable
from soul.store.lock import holder, twins
from soul.store.runtime import own_folder, runtime_folder

NAME = 'soul.sock'
#: Longest path of a Unix socket, bytes; the kernel's limit.
LONGEST = 107
#: The organ whose process serves the socket. It is the first to live and the last to end, does
#: what most commands ask for, and never waits for a model.
HOST = 'guard'


def in_home(home: Home) -> Path:
    """Return where the socket of a home belongs."""
    return home.run / NAME


def fits(path: Path) -> bool:
    """Tell whether a path is short enough for a socket."""
    return len(os.fsencode(path)) <= LONGEST


def outside(home: Home) -> Path:
    """Return where the socket lies if the home's path is too long: in the runtime folder.

    Raises
    ------
    HomeUnusable
        If that folder cannot be used, or is too long a path, too.
    OSError
        If the home is not there, or the folder cannot be made.
    """
    path = twins(home.path) / NAME
    if not fits(path):
        raise HomeUnusable(f'{path} is longer than the {LONGEST} bytes that a socket may have')
    return path


def chosen(home: Home) -> Path:
    """Return where the socket of a home lies; raises as :func:`outside`."""
    path = in_home(home)
    return path if fits(path) else outside(home)


def name_lock(full_name: str, domain: int) -> Path:
    """Return the lock that one node of a name on this machine holds; its folder is made.

    Raises
    ------
    HomeUnusable
        If the user's runtime folder cannot be used.
    OSError
        If it cannot be made.
    """
    names = own_folder(own_folder(runtime_folder() / 'names') / str(domain))
    return names / f'{full_name.strip("/").replace("/", ".")}.lock'


def home_of(namespace: str, domain: int) -> Home | None:
    """Return the home of who lives in a namespace on this machine; None: nobody of this user."""
    with contextlib.suppress(OSError, HomeUnusable):
        about = holder(name_lock(f'{namespace.rstrip("/")}/{HOST}', domain))
        if about and about.get('holder'):
            return Home(str(about['holder']))
    return None


def namespace_in(home: Home) -> str:
    """Return the namespace of who lives in a home; empty: nobody, as far as is known."""
    about = holder(home.run / f'{HOST}.lock')
    return str((about or {}).get('holder', '')).rpartition('/')[0]


def candidates(home: Home) -> Iterator[Path]:
    """Yield the places at which the socket of a home may lie."""
    with contextlib.suppress(OSError, HomeUnusable):
        yield chosen(home)
