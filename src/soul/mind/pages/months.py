"""Months of the diary: DIARY.md has the newest, DIARY/2026-11.md and the like the older ones."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import tzinfo
from pathlib import Path

from soul.mind.pages.entries import appended, dated_spans
from soul.store.pages import read_page
from soul.text.stamps import local

DIARY = 'DIARY.md'
FOLDER = 'DIARY'
_NAME = re.compile(r'\d{4}-(?:0[1-9]|1[0-2])\.md')


def month_of(at: float, zone: tzinfo | None = None) -> str:
    """Return the month of a time, seconds since 1970: `2026-11`."""
    return f'{local(at, zone):%Y-%m}'


def name_of(month: str) -> str:
    """Return the page of an old month, relative to the soul directory."""
    return f'{FOLDER}/{month}.md'


def is_month(file_name: str) -> bool:
    """Whether a file in the folder of old months is one; others there are somebody's own."""
    return _NAME.fullmatch(file_name) is not None


def newest_month(page: str, zone: tzinfo | None = None) -> str:
    """Return the newest month in a diary; empty if it has no entry."""
    return max((month_of(section.at, zone) for section in dated_spans(page, zone)), default='')


def months_before(page: str, month: str, zone: tzinfo | None = None) -> list[str]:
    """Return the months in a diary that are older than a month, oldest first."""
    there = {month_of(section.at, zone) for section in dated_spans(page, zone)}
    return sorted(one for one in there if one < month)


def split(
    page: str, month: str, there: Mapping[str, str | None], zone: tzinfo | None = None
) -> dict[str, str]:
    """Move what is older than a month out of a diary.

    Sections move as they stand there. What stands before the first one stays, and so does what
    is of this month or later: a date ahead of it is of a clock that has been set back.

    Parameters
    ----------
    there
        Pages of the old months (:func:`name_of`) as they are. Sections of others stay.

    Returns
    -------
    dict
        Page -> its new text; empty if nothing moves.
    """
    sections = dated_spans(page, zone)
    kept, moved = page[: sections[0].start] if sections else page, dict[str, str]()
    for section in sections:
        text, name = page[section.start : section.end], name_of(month_of(section.at, zone))
        if name < name_of(month) and name in there:
            moved[name] = moved.get(name, '') + (text if text.endswith('\n') else f'{text}\n')
        else:
            kept += text
    pages = {
        name: appended(there[name], name[len(FOLDER) + 1 : -len('.md')], text)
        for name, text in moved.items()
    }
    return {**pages, DIARY: kept} if pages else {}


def movable(folder: Path, page: str | None, month: str, zone: tzinfo | None = None) -> list[str]:
    """Return the pages of old months that sections of a diary can move to.

    Where something lies that cannot be read or changed (no permission, a folder, a pipe) nothing
    is written: the sections of that month stay in the diary.

    Parameters
    ----------
    folder
        The soul directory.
    """
    place = folder / FOLDER
    if os.path.lexists(place) and not (place.is_dir() and os.access(place, os.W_OK | os.X_OK)):
        return []
    names = [name_of(old) for old in months_before(page or '', month, zone)]
    return [name for name in names if _can_read(folder / name)]


def _can_read(path: Path) -> bool:
    try:
        read_page(path)
    except OSError:
        return False
    return True
