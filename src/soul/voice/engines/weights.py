"""Weights that come inside Python packages: where they lie, whether they are the right ones.

The packages are young and of single authors, so each file is known by its checksum.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from soul.voice.engines.port import EngineMissing

_PIECE = 1 << 20


@dataclass(frozen=True)
class PackagedFile:
    """A file inside packages, in parts that are joined in their order.

    Attributes
    ----------
    parts
        Name of a package, and the path of the part in it.
    sha256
        Of the whole.
    """

    name: str
    parts: tuple[tuple[str, str], ...]
    sha256: str


def cache_folder() -> Path:
    """Return where joined weights and fetched voices lie."""
    cache = os.environ.get('XDG_CACHE_HOME') or '~/.cache'
    return Path(cache).expanduser() / 'soul' / 'voice'


def package_folder(package: str) -> Path:
    """Return where a package lies, without importing it.

    Raises
    ------
    EngineMissing
        If it is not installed.
    """
    found = importlib.util.find_spec(package)
    places = list(found.submodule_search_locations or ()) if found is not None else []
    if not places:
        raise EngineMissing(f'the package {package} is not installed: `make up VOICE=1`')
    return Path(places[0])


def check(path: Path, sha256: str) -> Path:
    """Return `path` if it is the file that is meant.

    Raises
    ------
    EngineMissing
        If it is not, or cannot be read.
    """
    try:
        with path.open('rb') as file:
            digest = hashlib.sha256()
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError as error:
        raise EngineMissing(f'{path} cannot be read: {error.strerror}') from None
    if digest.hexdigest() != sha256:
        raise EngineMissing(
            f'{path} is not the file that is meant (sha256 {digest.hexdigest()}, wanted '
            f'{sha256}); `soul voice install` with her language brings it anew'
        )
    return path


def whole(file: PackagedFile, folder: Path | None = None) -> Path:
    """Return a file of packages; one in several parts is joined once, and again if it is broken.

    Parameters
    ----------
    folder
        Where the joined file lies; None: :func:`cache_folder`.

    Raises
    ------
    EngineMissing
        If a package is not installed, the sum is wrong, or the disk does not take it.
    """
    places = [package_folder(package) / path for package, path in file.parts]
    if len(places) == 1:
        return check(places[0], file.sha256)
    target = (folder or cache_folder()) / file.name
    if target.is_file():
        with contextlib.suppress(EngineMissing):
            return check(target, file.sha256)
    return write(target, _pieces(places), file.sha256)


def write(target: Path, pieces: Iterable[bytes], sha256: str) -> Path:
    """Write a file whole or not at all; returns its path.

    Raises
    ------
    EngineMissing
        If the sum is wrong or the disk does not take it.
    """
    digest = hashlib.sha256()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as half:
            place = Path(half.name)
            try:
                for piece in pieces:
                    digest.update(piece)
                    half.write(piece)
                half.flush()
                if digest.hexdigest() == sha256:
                    return place.replace(target)
            finally:
                place.unlink(missing_ok=True)
    except OSError as error:
        raise EngineMissing(f'{target} cannot be made: {error.strerror or error}') from None
    raise EngineMissing(
        f'{target.name} is not what is meant (sha256 {digest.hexdigest()}, wanted {sha256}); '
        '`soul voice install` with her language brings its packages anew'
    )


def _pieces(places: Sequence[Path]) -> Iterator[bytes]:
    for place in places:
        with place.open('rb') as file:
            while piece := file.read(_PIECE):
                yield piece
