"""A home as a year of living leaves it, made in seconds: a short life, and what came before it.

A few wakings are really lived, so that every file is there in its own form. Then a year is put
before them: turns of an earlier epoch into the ledger and the journals, notes, a diary, and a
field full of items.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.latency import Probe
from bench.memory import filler, write
from soul.library import Life
from soul.mind.memory import Memory
from soul.mind.pages import SoulDirectory
from soul.mind.session import CHAPTERS
from soul.store import AtomicFile, Home
from soul.text.stamps import stamp

ROOT = Path(__file__).resolve().parents[1]
YEAR = 365 * 86400.0
#: Wakings that are really lived, and so many before them that are carried along word for word.
LIVED, CARRIED = 4, 40


@dataclass(frozen=True)
class Size:
    """How much of a life it is."""

    wakings: int = 4_000
    notes: int = 50_000
    diary_bytes: int = 10_000_000
    items: int = 1_000


def make(home: Path, size: Size, parameters: dict[str, dict[str, Any]]) -> None:
    """Make a home.

    Parameters
    ----------
    parameters
        Of her organs, for the wakings that are really lived.
    """
    asyncio.run(_live(home, parameters))
    if not size.wakings:
        return
    now = time.time()
    rng = random.Random(1)
    words = filler(4_000, seed=2)
    _journals(home, size.wakings, now)
    _later_turns(home, size.wakings)
    _accounts(home, size.wakings, rng)
    _diary(home, size, now, rng)
    _field(home, size.items, now, words, rng)
    write(home / 'memory', filler(size.notes))
    pages = SoulDirectory(Home(home).soul)  # brings the diary to its form
    Memory(home / 'memory', pages=pages.recalled()).close()  # makes the index


async def _live(home: Path, parameters: dict[str, dict[str, Any]]) -> None:
    async with Life(str(home), parameters, provider=Probe()) as life:
        for number in range(LIVED):
            await life.ask(f'hello, for the {number}. time', seconds=60)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text('utf-8').splitlines()]


def _journals(home: Path, wakings: int, now: float) -> None:
    """Put earlier wakings before those that were lived, rotated as she would."""
    ledger = _lines(home / 'sessions/life.jsonl')
    first = next(n for n, entry in enumerate(ledger) if entry['kind'] == 'turn') + 1
    template = json.dumps(ledger[:first])
    wake, epoch = ledger[0]['wake'][0], ledger[first - 1]['turn']['epoch']
    message = ledger[first - 1]['turn']['messages_seen'][0]

    def turns() -> Iterator[list[dict[str, Any]]]:
        for number in range(1, wakings + 1):
            text = template.replace(message, f'{message[:-8]}{number:08x}')
            text = text.replace(str(wake), str(wake - 1)).replace(str(epoch), str(epoch - 1))
            entries = json.loads(text)
            at = now - YEAR + number * YEAR / wakings
            entries[0].update(wake=[wake - 1, number], sequence=number, at=at)
            for entry in entries:
                if entry['kind'] in ('asked', 'usage', 'reply'):
                    entry['turn'] = number
            entries[-1]['turn'].update(sequence=number, stamp=at)
            entries[-1]['turn']['wake']['sequence'] = number
            yield entries

    later = [_shifted(entry, wakings) for entry in ledger]
    _write(home / 'sessions/life.jsonl', [e for turn in turns() for e in turn] + later)
    for name, per_waking in (('door', 2), ('events', 2), ('ticks', 1)):
        path = home / f'{name}.jsonl'
        lived = _lines(path)
        earlier = []
        for number in range(wakings):
            for entry in lived[:per_waking]:
                text = json.dumps(entry).replace(message, f'{message[:-8]}{number + 1:08x}')
                earlier.append(_at(json.loads(text), now - YEAR + number * YEAR / wakings))
        _write(path, earlier + lived)


def _at(entry: dict[str, Any], at: float) -> dict[str, Any]:
    for part in (entry, entry.get('message'), entry.get('reply')):
        if isinstance(part, dict):
            part.update({name: at for name in ('at', 'stamp') if name in part})
    return entry


def _shifted(entry: dict[str, Any], by: int) -> dict[str, Any]:
    """Renumber a turn that was lived."""
    if entry['kind'] == 'begun':
        return {**entry, 'sequence': entry['sequence'] + by}
    if entry['kind'] == 'turn':
        return {**entry, 'turn': {**entry['turn'], 'sequence': entry['turn']['sequence'] + by}}
    if entry.get('turn'):
        return {**entry, 'turn': entry['turn'] + by}
    return entry


def _write(path: Path, entries: list[dict[str, Any]]) -> None:
    """Write a journal, rotated at 4 MiB: the newest part under its name, eight before it."""
    parts: list[list[str]] = [[]]
    size = 0
    for entry in entries:
        line = json.dumps(entry, ensure_ascii=False, separators=(',', ':')) + '\n'
        size += len(line.encode())
        parts[-1].append(line)
        if size >= 4 << 20:
            parts.append([])
            size = 0
    for number, part in enumerate(reversed(parts[-9:])):
        name = f'{path.stem}.{number}{path.suffix}' if number else path.name
        path.with_name(name).write_text(''.join(part), encoding='utf-8')


def _change(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = AtomicFile(path)
    data = file.read()
    assert data is not None
    change(data)
    file.write(data)


def _later_turns(home: Path, by: int) -> None:
    """Renumber the turns that were lived in what the organs remember."""

    def mind(data: dict[str, Any]) -> None:
        data['sequence'] += by
        data['last_turn']['sequence'] += by

    def heart(data: dict[str, Any]) -> None:
        for entry in data['turns']['entries']:
            entry[1] += by

    def field(data: dict[str, Any]) -> None:
        data['turn'][1] += by

    for name, change in (('mind', mind), ('heart', heart), ('field', field)):
        _change(home / f'{name}.json', change)


def _accounts(home: Path, wakings: int, rng: random.Random) -> None:
    """Let all but the newest wakings have become accounts, as they do when there are many."""
    chapters = [' '.join(filler(12, seed=rng.randrange(1000))) for _ in range(CHAPTERS)]
    accounts = {'upto': max(0, wakings - CARRIED), 'chapters': chapters}
    AtomicFile(home / 'sessions/life.json').write(accounts)


def _diary(home: Path, size: Size, now: float, rng: random.Random) -> None:
    """Write the diary as a version before months did: all in one page."""
    each, entries = size.diary_bytes // size.wakings, []
    prose = ' '.join(
        word
        for page in sorted((ROOT / 'docs').glob('*.md'))
        for word in page.read_text('utf-8').split()
        if word.isascii() and word.isalpha()
    )
    for number in range(size.wakings):
        # real prose: texts of syllables would all be alike
        start = rng.randrange(len(prose) - each)
        text = prose[start : start + each - 25]
        at = now - YEAR + number * YEAR / size.wakings
        entries.append(f'## {stamp(at)}\n\n{text}\n\n')
    (home / 'soul/DIARY.md').write_text('# Diary\n\n' + ''.join(entries), encoding='utf-8')
    (home / 'soul/SCHEMA').write_text('1\n', encoding='utf-8')


def _field(home: Path, items: int, now: float, words: list[str], rng: random.Random) -> None:
    def change(data: dict[str, Any]) -> None:
        world = data['world']
        like = next(item for item in world['items'] if item['kind'] == 'message')
        for number in range(items):
            text = f'{rng.choice(words)}, {rng.choice(words)}'
            world['items'].append(
                {
                    **like,
                    'id': f'n{world["count"] + number}',
                    'key': f'year/{number}',
                    'kind': 'note',
                    'text': text,
                    'gist': text[:60],
                    'trace': text[:20],
                    'fidelity': 2,
                    'born': now - 3600.0,
                    'held': False,
                    'resolved': False,
                    'ring': 3,
                    'salience': 0.3,
                }
            )
        world['count'] += items

    _change(home / 'field.json', change)
