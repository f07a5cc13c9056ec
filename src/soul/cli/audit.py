"""`soul audit`: what happened, whether anybody has changed the record, and a copy of it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import IO, TYPE_CHECKING

import click

from soul.cli.common import at_home, fail
from soul.store.home import Home

if TYPE_CHECKING:
    from soul.guard.audit_reader import AuditReader
    from soul.guard.chain import Row


@click.group()
def audit() -> None:
    """What she did and what was done to her, as the guard has written it down."""


@audit.command()
@click.option('--kind', default='', help='Only such rows: act, turn, model_call, stop, ...')
@click.option('--hours', type=click.FloatRange(0.0), default=0.0, help='Only of so many hours.')
@click.option('--last', type=click.IntRange(1), default=50, show_default=True, help='So many.')
@at_home
def show(kind: str, hours: float, last: int, home: str) -> None:
    """Show the newest rows."""
    from datetime import datetime

    from rich.table import Table

    from soul.cli.output import Output, write

    since = time.time() - hours * 3600.0 if hours else 0.0
    table = Table('number', 'when', 'what', 'of', 'detail')
    with _reader(home) as reader:
        for row in reader.rows(kind, since, last):
            when = datetime.fromtimestamp(row.at).astimezone()
            table.add_row(
                str(row.number), f'{when:%Y-%m-%d %H:%M:%S}', row.kind, row.ref, _short(row.detail)
            )
    if not table.row_count:
        write('nothing')
        return
    Output().print(table)


@audit.command()
@at_home
def verify(home: str) -> None:
    """Check that no row was changed, removed or put in between."""
    from soul.cli.output import write

    with _reader(home) as reader:
        found = list(reader.faults())
        newest = next(reader.rows(newest=1), None)
    for fault in found:
        write(fault)
    if found:
        fail('the audit was changed')
    if newest is None:
        write('the audit is empty')
        return
    write(f'the audit is whole: {newest.number} rows, the newest digest is {newest.digest}')
    write('keep that digest elsewhere: whoever replaces the whole file cannot replace it there')


@audit.command()
@click.argument('file', type=click.File('w', encoding='utf-8', lazy=True), default='-')
@click.option('--kind', default='', help='Only such rows.')
@at_home
def export(file: IO[str], kind: str, home: str) -> None:
    """Write all rows as JSON lines into FILE, - being standard output."""
    with _reader(home) as reader:
        try:
            for row in reader.rows(kind):
                file.write(json.dumps(_plain(row), ensure_ascii=False) + '\n')
        except BrokenPipeError:
            sys.exit(0)


@contextmanager
def _reader(home: str) -> Iterator[AuditReader]:
    from soul.guard.audit_reader import AuditReader, AuditUnreadable

    try:
        with closing(AuditReader(Home(home).path)) as reader:
            yield reader
    except (AuditUnreadable, OSError) as error:
        fail(str(error))


def _plain(row: Row) -> dict[str, object]:
    try:
        detail = json.loads(row.detail)
    except ValueError:
        detail = row.detail
    return {**row._asdict(), 'detail': detail}


def _short(detail: str) -> str:
    return detail if len(detail) <= 120 else f'{detail[:119]}…'
