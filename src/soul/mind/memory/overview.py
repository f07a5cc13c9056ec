"""The table of the tree of notes that she reads in every waking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import tzinfo

from soul.mind.memory.notebook import RESIDENT
from soul.mind.memory.topics import NOTES
from soul.text.phrases import Phrases
from soul.text.stamps import local

MOST_ROWS = 40


def overview(sizes: Sequence[tuple[str, int, float]], words: Phrases, zone: tzinfo | None) -> str:
    """Write the table; folders stand for their notes where there are too many.

    Parameters
    ----------
    sizes
        (path, number of entries, time of the newest) of every note.
    """
    rows = [
        (path.removeprefix(f'{NOTES}/').removesuffix('.md'), count, at)
        for path, count, at in sizes
        if path != RESIDENT
    ]
    if not rows:
        return words.say('memory.index_empty')
    if len(rows) > MOST_ROWS:
        rows = _folders(rows)
    newest_first = sorted(rows, key=lambda row: (-row[2], row[0]))
    shown, rest = sorted(newest_first[:MOST_ROWS]), newest_first[MOST_ROWS:]
    lines = [words.say('memory.index_head'), '| --- | ---: | --- |']
    lines += [f'| {path} | {count} | {local(at, zone):%Y-%m-%d} |' for path, count, at in shown]
    if rest:
        entries = sum(count for _, count, _ in rest)
        lines.append(words.say('memory.index_more', count=len(rest), entries=entries))
    return '\n'.join(lines)


def _folders(rows: Sequence[tuple[str, int, float]]) -> list[tuple[str, int, float]]:
    folders: dict[str, list[tuple[str, int, float]]] = defaultdict(list)
    for row in rows:
        folder, _, name = row[0].partition('/')
        # notes that go on in further files are one, too
        key = f'{folder}/' if name else folder.rstrip('0123456789').rstrip('-') or folder
        folders[key].append(row)
    return [
        (folder, sum(count for _, count, _ in group), max(at for _, _, at in group))
        for folder, group in folders.items()
    ]
