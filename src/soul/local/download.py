"""Brings one file onto the disk, going on where an earlier attempt ended."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx

from soul.local.errors import Damaged, NotReached
from soul.local.package_index import WheelLink

#: So much is read and written at a time, bytes.
PIECE = 1 << 18
#: A connection that breaks off is taken up again so often for one file.
ATTEMPTS = 4


def fetch(
    client: httpx.Client, link: WheelLink, target: Path, progress: Callable[[int], None]
) -> None:
    """Bring a file onto the disk; what is there of it already is not fetched again.

    Parameters
    ----------
    target
        Until it is whole it is called `<name>.half`.
    progress
        Called with the bytes of this file that are there.

    Raises
    ------
    NotReached
        If it breaks off again and again; the half stays for the next time.
    Damaged
        If it is not what the index says, twice.
    """
    half = target.with_name(target.name + '.half')
    for last in (False, True):
        _complete(client, link.url, half, progress)
        if not link.sha256 or _sha256(half) == link.sha256:
            half.replace(target)
            return
        half.unlink()
        if last:
            break
    raise Damaged(f'{target.name} is not what the package index says, also when fetched again')


def _complete(client: httpx.Client, url: str, half: Path, progress: Callable[[int], None]) -> None:
    if url.startswith('file://'):
        with Path(unquote(urlsplit(url).path)).open('rb') as source:
            _append(half, iter(lambda: source.read(PIECE), b''), 0, progress)
        return
    trouble = ''
    for _ in range(ATTEMPTS):
        try:
            _go_on(client, url, half, progress)
            return
        except httpx.HTTPError as error:
            trouble = str(error) or type(error).__name__
    raise NotReached(
        f'the download of the local model broke off: {url}: {trouble}. What is here stays; the '
        'next start goes on from there.'
    )


def _go_on(client: httpx.Client, url: str, half: Path, progress: Callable[[int], None]) -> None:
    have = half.stat().st_size if half.exists() else 0
    headers = {'Accept-Encoding': 'identity'}
    if have:
        headers['Range'] = f'bytes={have}-'
    with client.stream('GET', url, headers=headers) as answer:
        if answer.status_code == 416:  # nothing is missing, or what is here is too long
            total = answer.headers.get('content-range', '').rpartition('/')[2]
            if total != str(have):
                half.unlink()
                raise httpx.ReadError('what was there did not fit')
            return
        answer.raise_for_status()
        # An index that knows no ranges sends the whole again.
        begin = have if answer.status_code == 206 else 0
        _append(half, answer.iter_raw(), begin, progress)


def _append(
    half: Path, pieces: Iterator[bytes], begin: int, progress: Callable[[int], None]
) -> None:
    with half.open('ab') as file:
        file.truncate(begin)
        for piece in pieces:
            file.write(piece)
            begin += len(piece)
            progress(begin)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open('rb') as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()
