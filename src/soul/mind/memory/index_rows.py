"""Writes the entries of a note or page into the tables of the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from soul.mind.memory.entry import Entry
from soul.store.pages import shown
from soul.text.terms import normal, short_tokens

#: Paths of her own pages begin so, and their entries have numbers above those of all notes: what
#: is asked about notes alone does not come across them.
PAGES, FIRST_OF_PAGES = 'soul/', 1 << 40
#: What is known of an entry, in this order.
COLUMNS = 'id, text, at, origins, importance, count, path'


def replace(database: sqlite3.Connection, path: str, entries: Sequence[Entry]) -> None:
    """Change only what differs: searching tables are slow to write."""
    rows = database.execute(
        f'SELECT number, body, short, {COLUMNS} FROM entries WHERE path=?', (path,)
    ).fetchall()
    there = {tuple(row[3:]): row[:3] for row in rows}
    wanted = {_row(entry, path): entry for entry in entries}
    gone = [old for key, old in there.items() if key not in wanted]
    gone += [row[:3] for row in rows if there[tuple(row[3:])][0] != row[0]]
    for number, body, short in gone:
        for table, column, value in (('words', 'body', body), ('pairs', 'short', short)):
            database.execute(
                f"INSERT INTO {table} ({table}, rowid, {column}) VALUES ('delete', ?, ?)",
                (number, value),
            )
        database.execute('DELETE FROM entries WHERE number=?', (number,))
    new = [entry for key, entry in wanted.items() if key not in there]
    for number, body, short in insert(database, path, new):
        database.execute('INSERT INTO words (rowid, body) VALUES (?,?)', (number, body))
        database.execute('INSERT INTO pairs (rowid, short) VALUES (?,?)', (number, short))


def insert(
    database: sqlite3.Connection, path: str, entries: Sequence[Entry]
) -> list[tuple[int, str, str]]:
    """Insert entries, but not into the searching tables.

    Returns
    -------
    list
        For these: number, body and short tokens of each entry.
    """
    added = []
    number = _newest(database, path) if entries else 0
    for entry in entries:
        number += 1
        body = normal(shown(entry.text))
        short = short_tokens(body)
        database.execute(
            f'INSERT INTO entries (number, {COLUMNS}, digest, body, short) '
            'VALUES (?,?,?,?,?,?,?,?,?,?,?)',
            (number, *_row(entry, path), entry.digest, body, short),
        )
        added.append((number, body, short))
    return added


def _newest(database: sqlite3.Connection, path: str) -> int:
    """Return the highest number among the notes, or among the pages of hers."""
    if path.startswith(PAGES):
        found = database.execute('SELECT max(number) FROM entries').fetchone()[0] or 0
        return max(int(found), FIRST_OF_PAGES)
    found = database.execute(
        'SELECT max(number) FROM entries WHERE number<?', (FIRST_OF_PAGES,)
    ).fetchone()[0]
    return int(found or 0)


def _row(entry: Entry, path: str) -> tuple[str, str, float, str, float, int, str]:
    origins = '+'.join(entry.origins)
    return (entry.id, shown(entry.text), entry.at, origins, entry.importance, entry.count, path)


def entry_of(row: Sequence) -> Entry:
    """Read an entry from its columns (:data:`COLUMNS`)."""
    mark, text, at, origins, importance, count, path = row
    return Entry(mark, text, at, tuple(origins.split('+')), importance, count, path)
