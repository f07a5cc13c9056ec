"""`soul backup`, `soul restore`, `soul life` and `soul memory`: her files, without her graph."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from soul.cli.output import Output, styled
from soul.store import Home, HomeInUse
from soul.store.pages import shown
from soul.store.reading import PageReader

HomeOption = Annotated[str, typer.Option(help='Her home; empty: SOUL_HOME or ~/.soul.')]
life_app = typer.Typer(help='Her pages.', no_args_is_help=True)
memory_app = typer.Typer(help='Her memory.', no_args_is_help=True)
#: Archives lie here within the home unless told otherwise.
BACKUPS = 'backups'
INDEX = 'memory/index.db'


def register(app: typer.Typer) -> None:
    """Add these commands to the `soul` command."""
    app.command()(backup)
    app.command()(restore)
    app.add_typer(life_app, name='life')
    app.add_typer(memory_app, name='memory')


def backup(
    home: HomeOption = '',
    to: Annotated[str, typer.Option(help='Folder; empty: backups/ in her home.')] = '',
) -> None:
    """Make a backup of her life; she may go on living meanwhile."""
    from soul.life.archive import BadArchive
    from soul.life.backup import backup as make

    where = Home(home)
    try:
        path = make(where.path, Path(to).expanduser() if to else where.path / BACKUPS, time.time())
    except (OSError, BadArchive) as error:
        raise _failed(error) from None
    Output().print(f'{path} ({path.stat().st_size:,} bytes)', soft_wrap=True)


def restore(
    archive: Annotated[Path, typer.Argument(help='A backup.')],
    home: HomeOption = '',
    replace: Annotated[
        bool, typer.Option('--replace', help='Move a life that is there aside.')
    ] = False,
) -> None:
    """Restore a backup into an empty home."""
    from soul.life.archive import BadArchive
    from soul.life.backup import HomeNotEmpty
    from soul.life.backup import restore as bring_back

    where = Home(home)
    try:
        aside = bring_back(archive, where.path, replace)
    except (OSError, BadArchive, HomeNotEmpty, HomeInUse) as error:
        raise _failed(error) from None
    console = Output()
    console.print(f'restored to {where}', soft_wrap=True)
    if aside:
        console.print(f'what was there lies in {aside}', soft_wrap=True)


@life_app.command()
def show(home: HomeOption = '') -> None:
    """Show her pages."""
    from rich.markdown import Markdown  # only here: the other commands start faster without
    from rich.panel import Panel

    where = Home(home)
    pages = sorted(where.soul.glob('*.md'))
    if not pages:
        raise _failed(f'{where.soul} holds no pages: she has not lived there yet')
    console = Output()
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
                title=styled(page.name),
                title_align='left',
            )
        )


@life_app.command('begin-anew')
def begin_anew(
    name: Annotated[str, typer.Argument(help='A state file, for example field.json.')],
    home: HomeOption = '',
) -> None:
    """Let a part of her that cannot be read begin anew; its files are moved aside."""
    from soul.life.anew import begin_anew as decide
    from soul.life.errors import PageRefused

    try:
        folder = decide(Home(home), name, time.time())
    except (OSError, PageRefused, HomeInUse) as error:
        raise _failed(error) from None
    Output().print(f'{name} begins anew; what was there lies in {folder}', soft_wrap=True)


@memory_app.command()
def rebuild(home: HomeOption = '') -> None:
    """Make the index of her memory anew from her notes."""
    from soul.memory import Memory
    from soul.memory.database import Locked

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
    Output().print(f'{count:,} memories')


@memory_app.command()
def search(
    text: Annotated[str, typer.Argument(help='What to look for, in any language.')],
    home: HomeOption = '',
    limit: Annotated[int, typer.Option(min=1, max=100, help='How many.')] = 5,
) -> None:
    """Search her memory."""
    from soul.memory import Memory

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
    Output().print(table)


def _with_memory(home: str) -> Home:
    where = Home(home)
    if not (where.path / 'memory').is_dir():
        raise _failed(f'{where}/memory: there is no memory yet')
    return where


def _lives(where: Home) -> bool:
    from soul.store.lock import lives

    return lives(where.path, 'mind')


def _failed(why: object) -> typer.Exit:
    Output(stderr=True).print(str(why), style='red', soft_wrap=True)
    return typer.Exit(1)
