"""The version of the soul directory's form, and the steps from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from pathlib import Path

from soul.mind.pages import months
from soul.mind.pages.errors import SchemaTooNew
from soul.store.pages import ChangedMeanwhile, read_page
from soul.store.reading import PageReader
from soul.store.transaction import Change, Transaction

FILE = 'SCHEMA'
Pages = Mapping[str, str]
#: From all Markdown files there are to those that change; None: the file goes.
Step = Callable[[Pages], Mapping[str, str | None]]


def _pages_of_their_own(pages: Pages) -> Mapping[str, str | None]:
    """0 to 1: DIARY.md and MOOD.md alone, without a version; they are read as they are."""
    return {}


def _a_page_a_month(folder: Path, zone: tzinfo | None, pages: Pages) -> Mapping[str, str | None]:
    """1 to 2: of a diary of years only the newest month stays in DIARY.md."""
    page = pages.get(months.DIARY, '')
    newest = months.newest_month(page, zone)
    names = months.movable(folder, page, newest, zone)
    return months.split(page, newest, {name: pages.get(name) for name in names}, zone)


def steps(folder: Path, zone: tzinfo | None = None) -> tuple[Step, ...]:
    """Return the steps of the soul directory; the one from version n to n + 1 is at place n.

    Parameters
    ----------
    zone
        Time zone of the dates in her pages; None: the host's.
    """
    return (_pages_of_their_own, partial(_a_page_a_month, folder, zone))


def version(folder: Path) -> int:
    """Read the version; 0 if there is none.

    Raises
    ------
    SchemaTooNew
        If it is no number.
    """
    text = (read_page(folder / FILE) or '0').strip()
    if not text.isascii() or not text.isdigit():
        raise SchemaTooNew(f'{folder / FILE} holds {text[:40]!r} and not the number of a version')
    return int(text)


def migrate(folder: Path, steps: Sequence[Step]) -> int:
    """Bring the soul directory to the newest version, step by step.

    Each step changes its files and the version at once: a kill at any instant leaves the
    version before or the one after.

    Returns
    -------
    int
        How many steps it took.

    Raises
    ------
    SchemaTooNew
        If a newer version of this package has written it.
    """
    transaction = Transaction(folder)
    transaction.recover()
    begun = version(folder)
    if begun > len(steps):
        raise SchemaTooNew(
            f'{folder} has version {begun}, this package knows {len(steps)} and older. '
            'Use the newer one, or restore a backup.'
        )
    number = begun
    while number < len(steps):
        reader = PageReader()  # what cannot be read stays as it is
        files = sorted([*folder.glob('*.md'), *folder.glob(f'{months.FOLDER}/*.md')])
        texts = {path.relative_to(folder).as_posix(): reader.read(path) for path in files}
        pages = {name: text for name, text in texts.items() if text is not None}
        changes = [
            Change(folder / name, pages.get(name), text)
            for name, text in steps[number](pages).items()
        ]
        marked = Change(folder / FILE, read_page(folder / FILE), f'{number + 1}\n')
        try:
            transaction.apply([*changes, marked])
        except ChangedMeanwhile:
            continue  # somebody edits a page just now: the step is made from theirs
        number += 1
    return number - begun
