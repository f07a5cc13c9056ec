"""Text files that she and people share: read as they are, compared before they are replaced."""

from __future__ import annotations

import codecs
import functools
import hashlib
import os
from pathlib import Path

from soul.store.durable import make_folder, sync_directory, write_new
from soul.store.regular import read_regular

#: Bytes that are no UTF-8 come back as they were.
_ERRORS = 'surrogateescape'
#: UTF-16 without a mark is known by its high bytes being zero mostly, and its low ones seldom.
MOSTLY, SELDOM = 0.6, 0.1
#: Of longer texts no digest is remembered: the texts would stay in memory with them.
_REMEMBERED_CHARACTERS = 20_000


class ChangedMeanwhile(Exception):
    """A file is no longer what a change was made from. Nothing was written."""

    def __init__(self, path: Path) -> None:
        super().__init__(f'{path.name} was changed by somebody else in the meantime')
        self.path = path


def read_page(path: Path) -> str | None:
    """Read a page; None if there is none.

    Raises
    ------
    OSError
        If there is something that cannot be read; nothing must be written over it then.
    """
    data = read_bytes_of(path)
    return None if data is None else text_of(data)


def read_bytes_of(path: Path) -> bytes | None:
    """Return the bytes of a page; None if there is none.

    Raises
    ------
    OSError
        If there is something that cannot be read.
    """
    try:
        return read_regular(path)
    except FileNotFoundError:
        if path.is_symlink():  # a link to nowhere is no free place
            raise
        return None


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text of a page and how it is encoded.

    Editors on Windows begin UTF-16 with a mark; without one it is known by its zero bytes. A mark
    of the byte order is no part of the text. Bytes that are no text come back as they were
    (:func:`encode`).

    Returns
    -------
    tuple
        The text, and `utf-8`, a name that begins with `utf-16`, or empty if it is neither.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        names = ['utf-16']
    elif b'\0' in data and len(data) % 2 == 0:
        halves = (('utf-16-le', data[1::2], data[::2]), ('utf-16-be', data[::2], data[1::2]))
        names = [
            name
            for name, high, low in halves
            if high.count(0) >= MOSTLY * len(high) and low.count(0) <= SELDOM * len(low)
        ]
    else:
        names = []
    for name in (*names, 'utf-8'):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if name != 'utf-8':
            text = text.replace('\r\n', '\n')
        return text.removeprefix('\ufeff'), name
    return data.decode('utf-8', _ERRORS), ''


def text_of(data: bytes) -> str:
    """Return the text of a page (:func:`decoded`)."""
    return decoded(data)[0]


def encode(text: str) -> bytes:
    """Turn a page's text into bytes."""
    try:
        return text.encode('utf-8', _ERRORS)
    except UnicodeEncodeError:
        return text.encode('utf-8', 'replace')


def clean(text: str) -> str:
    """Return a text without what no file can hold: lone surrogates, NULs, other controls."""
    text = text.replace('\r\n', '\n').replace('\r', '\n').encode('utf-8', 'replace').decode()
    return ''.join(c for c in text if c >= ' ' or c in '\n\t').strip()


def shown(text: str) -> str:
    """Return a page's text as it can be shown: with a mark for each byte that is no UTF-8."""
    return text if text.isascii() else encode(text).decode('utf-8', 'replace')


def page_digest(text: str | None) -> str:
    """Digest of a page's text; empty for a page that is not there."""
    if text is None:
        return ''
    return _remembered_digest(text) if len(text) <= _REMEMBERED_CHARACTERS else _digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(encode(text)).hexdigest()


@functools.lru_cache(maxsize=64)
def _remembered_digest(text: str) -> str:
    return _digest(text)


def replace_page(path: Path, expected: str | None, text: str | None) -> None:
    """Replace a page if it still is what it was; on the disk when this returns.

    Parameters
    ----------
    expected
        What the change was made from; None: no such file.
    text
        The new text; None: the file goes.

    Raises
    ------
    ChangedMeanwhile
        If somebody else wrote it: theirs stays.
    """
    if text is None:
        if read_page(path) != expected:
            raise ChangedMeanwhile(path)
        path.unlink(missing_ok=True)
        sync_directory(path.parent)
        return
    make_folder(path.parent)
    temporary = path.with_name(f'.{path.name}.new')
    write_new(temporary, encode(text))
    if read_page(path) != expected:
        temporary.unlink()
        raise ChangedMeanwhile(path)
    os.replace(temporary, path)
    sync_directory(path.parent)


def beside(path: Path, label: str) -> Path:
    """Return a free name beside a file: `MIND.<label>.md`, with a number if that exists."""
    number, target = 1, path.with_name(f'{path.stem}.{label}{path.suffix}')
    while target.exists():
        number += 1
        target = path.with_name(f'{path.stem}.{label}-{number}{path.suffix}')
    return target
