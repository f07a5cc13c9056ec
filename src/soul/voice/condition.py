"""Whether packages are installed, and whether what was installed is still whole.

What is installed is known by the record that comes with each package: its files, their sizes and
checksums. pip itself looks only whether there is a record.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from soul.voice.engines.port import EngineMissing
from soul.voice.packages import VoicePackage, packages

_PIECE = 1 << 20


@dataclass(frozen=True)
class Flaw:
    """A package that is there, but not as it was installed; `why` for people."""

    package: VoicePackage
    why: str

    def __str__(self) -> str:
        return f'{self.package.name}: {self.why}'


def lacking(language: str) -> tuple[VoicePackage, ...]:
    """Return the packages of a language that are not installed, or not in the version meant."""
    return tuple(package for package in packages(language) if not _is_there(package))


def flaws(language: str, ears: bool | None = None, thorough: bool = False) -> list[Flaw]:
    """Return what is wrong with the packages of a language that are there.

    Parameters
    ----------
    ears
        Only what the ears need, or only what they do not; None: both.
    thorough
        Compare contents, too, not only sizes: some seconds.
    """
    wanted = [one for one in packages(language) if ears is None or one.ears == ears]
    found = ((package, _flaw(package, thorough)) for package in wanted)
    return [Flaw(package, why) for package, why in found if why]


def need_whole(language: str, ears: bool) -> None:
    """Make sure that nothing of what is installed for a language is broken.

    Raises
    ------
    EngineMissing
        If something is; says what, and what brings it anew.
    """
    if found := flaws(language, ears):
        told = '; '.join(map(str, found))
        raise EngineMissing(f'{told}: `soul voice install {language}` brings it anew')


def _is_there(package: VoicePackage) -> bool:
    installed = _distribution(package)
    if installed is None:  # somebody else has put it there, or nobody
        found = importlib.util.find_spec(package.module)
        return found is not None and found.origin is not None
    _, pinned, version = package.wanted.partition('==')
    return not pinned or installed.version == version


def _distribution(package: VoicePackage) -> metadata.Distribution | None:
    try:
        return metadata.distribution(package.name)
    except metadata.PackageNotFoundError:
        return None


def _flaw(package: VoicePackage, thorough: bool) -> str:
    """Say what is wrong with a package; empty: nothing, or it is not there."""
    installed = _distribution(package)
    if installed is None:
        return ''
    for name, sha256, size in _recorded(installed):
        if why := _difference(Path(str(installed.locate_file(name))), sha256, size, thorough):
            return f'{name} {why}'
    return ''


def _recorded(installed: metadata.Distribution) -> Iterator[tuple[str, str, int]]:
    """Give name, checksum and size of each file that a package has brought."""
    for row in csv.reader((installed.read_text('RECORD') or '').splitlines()):
        # what has no sum was made here, as its own record is; what lies elsewhere is no part of it
        if len(row) == 3 and row[1].startswith('sha256=') and not row[0].startswith(('..', '/')):
            yield row[0], row[1].removeprefix('sha256='), int(row[2]) if row[2].isdigit() else -1


def _difference(place: Path, sha256: str, size: int, thorough: bool) -> str:
    try:
        now = place.stat().st_size
        if size not in (-1, now):
            return f'has {now} of {size} bytes'
        if thorough and _digest(place) != sha256:
            return 'is not what was installed'
    except FileNotFoundError:
        return 'is gone'
    except OSError as error:
        return f'cannot be read ({error.strerror})'
    return ''


def _digest(place: Path) -> str:
    digest = hashlib.sha256()
    with place.open('rb') as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return base64.urlsafe_b64encode(digest.digest()).decode().rstrip('=')
