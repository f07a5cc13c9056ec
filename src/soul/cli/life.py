"""`soul backup`, `soul restore`, `soul life` and `soul memory`: her files, without her graph."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from soul.cli.common import at_home
from soul.store.home import Home
from soul.store.lock import HomeInUse, lives

# Whatever takes its time is imported by the command that needs it.
if TYPE_CHECKING:
    from soul.cli.output import Output

#: Archives lie here within the home unless told otherwise.
BACKUPS = 'backups'
INDEX = 'memory/index.db'


def register(group: click.Group) -> None:
    """Add these commands to the `soul` command."""
    for command in (backup, restore, life_group, memory_group):
        group.add_command(command)


@click.group('life')
def life_group() -> None:
    """Show her pages, or let a part that cannot be read begin anew."""


@click.group('memory')
def memory_group() -> None:
    """Search her memory, or make its index anew."""


@click.command()
@at_home
@click.option('--to', default='', help='Folder; empty: backups/ in her home.')
def backup(home: str, to: str) -> None:
    """Make a backup of her life; she may go on living meanwhile."""
    from soul.backup.archive import BadArchive
    from soul.backup.backup import backup as make

    where = Home(home)
    try:
        path = make(where.path, Path(to).expanduser() if to else where.path / BACKUPS, time.time())
    except (OSError, BadArchive) as error:
        raise _failed(error) from None
    _output().print(f'{path} ({path.stat().st_size:,} bytes)', soft_wrap=True)


@click.command()
@click.argument('archive', type=click.Path(path_type=Path))
@at_home
@click.option('--replace', is_flag=True, help='Move a life that is there aside.')
def restore(archive: Path, home: str, replace: bool) -> None:
    """Restore the backup ARCHIVE into an empty home."""
    from soul.backup.archive import BadArchive
    from soul.backup.backup import HomeNotEmpty
    from soul.backup.backup import restore as bring_back

    where = Home(home)
    try:
        aside = bring_back(archive, where.path, replace)
    except (OSError, BadArchive, HomeNotEmpty, HomeInUse) as error:
        raise _failed(error) from None
    console = _output()
    console.print(f'restored to {where}', soft_wrap=True)
    if aside:
        console.print(f'what was there lies in {aside}', soft_wrap=True)
    if told := _about_keys(where):
        console.print(told, soft_wrap=True)


def _about_keys(home: Home) -> str:
    """Say whether the keys of providers can be opened here; empty: yes, or there are none."""
    from soul.keys import KeyFileError, KeyStore, MasterKey, MasterKeyError

    try:
        store = KeyStore(home.path, MasterKey.find(home.path, os.environ))
        if store.names():
            store.opened()
    except (KeyFileError, MasterKeyError, OSError) as error:
        return f'her keys of providers cannot be used yet: {error}'
    return ''


@life_group.command()
@at_home
def show(home: str) -> None:
    """Show her pages, with all months of her diary."""
    from rich.markdown import Markdown
    from rich.panel import Panel

    from soul.cli.output import styled
    from soul.store.pages import shown
    from soul.store.reading import PageReader

    where = Home(home)
    pages = sorted([*where.soul.glob('*.md'), *where.soul.glob('DIARY/*.md')])
    if not pages:
        raise _failed(f'{where.soul} holds no pages: she has not lived there yet')
    console = _output()
    reader = PageReader()
    for page in pages:
        text = shown(reader.read(page) or '').strip()
        for odd in reader.news():
            console.print(odd, soft_wrap=True)
        if reader.unreadable(page):
            continue
        console.print(
            Panel(
                Markdown(text or '-', hyperlinks=False),
                title=styled(page.relative_to(where.soul).as_posix()),
                title_align='left',
            )
        )


@life_group.command('begin-anew')
@click.argument('name')
@at_home
def begin_anew(name: str, home: str) -> None:
    """Let a part of her that cannot be read begin anew; its files are moved aside.

    NAME is that of a state file, for example field.json.
    """
    from soul.backup.begin_anew import NothingBegun
    from soul.backup.begin_anew import begin_anew as decide

    try:
        folder = decide(Home(home), name, time.time())
    except (OSError, NothingBegun, HomeInUse) as error:
        raise _failed(error) from None
    _output().print(f'{name} begins anew; what was there lies in {folder}', soft_wrap=True)


@memory_group.command()
@at_home
def rebuild(home: str) -> None:
    """Make the index of her memory anew from her notes."""
    from soul.mind.memory import Memory
    from soul.mind.memory.database import Locked

    where = _with_memory(home)
    if _lives(where):
        raise _failed(f'she lives in {where} and keeps the index herself; let her rest first')
    memory = Memory(where.path / 'memory')
    try:
        count = memory.rebuild()
    except Locked:
        raise _failed('somebody else is writing to the index just now; try again') from None
    finally:
        memory.close()
    _output().print(f'{count:,} memories')


@memory_group.command()
@click.argument('text')
@at_home
@click.option(
    '--limit', type=click.IntRange(1, 100), default=5, show_default=True, help='How many.'
)
def search(text: str, home: str, limit: int) -> None:
    """Search her memory for TEXT, in any language."""
    from rich.table import Table

    from soul.mind.memory import Memory

    where = _with_memory(home)
    # as long as she lives, only she changes the index; otherwise it is brought up to date
    read_only = _lives(where) and (where.path / INDEX).exists()
    memory = Memory(where.path / 'memory', read_only=read_only)
    try:
        hits = memory.recall(text, time.time(), limit)
    finally:
        memory.close()
    if not hits:
        raise _failed(f'nothing about {text!r}')
    table = Table('memory', 'from', 'note', 'mark')
    for hit in hits:
        table.add_row(hit.snippet, '+'.join(hit.origins), hit.entry.path, hit.id)
    _output().print(table)


def _with_memory(home: str) -> Home:
    where = Home(home)
    if not (where.path / 'memory').is_dir():
        raise _failed(f'{where}/memory: there is no memory yet')
    return where


def _lives(where: Home) -> bool:
    return lives(where.path, 'mind')


def _output(**options: Any) -> Output:
    from soul.cli.output import Output

    return Output(**options)


def _failed(why: object) -> click.exceptions.Exit:
    _output(stderr=True).print(str(why), style='red', soft_wrap=True)
    return click.exceptions.Exit(1)
