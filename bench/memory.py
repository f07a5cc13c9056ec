"""Search in her memory at 1,000, 10,000 and 100,000 notes, beside the bare full-text query."""

from __future__ import annotations

import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from bench.figure import Figure
from soul.mind.memory import Memory
from soul.mind.memory.entry import Entry, mark
from soul.mind.memory.notebook import NOTE_BYTES
from soul.mind.memory.ranking import CANDIDATES
from soul.text.terms import search_terms

_ASKED = yaml.safe_load(
    (Path(__file__).resolve().parents[1] / 'test/unit/data/questions.yaml').read_text('utf-8')
)
QUESTIONS = [(asked['question'], asked['wanted']) for group in _ASKED.values() for asked in group]
NOTES = [asked['note'] for group in _ASKED.values() for asked in group]
SIZES = (1_000, 10_000, 100_000)
ROUNDS = 5
_NOW = 1_791_168_660.0
_DAY = 86400.0
_WORDS = 4000
_HAN = (
    '天地人山水火风雨日月星云花草树鸟鱼虫石土金木河海湖路桥门窗灯书画歌舞茶酒米面春夏秋冬东西南北'
)


def filler(count: int, seed: int = 1) -> list[str]:
    """Texts about nothing in particular, as frequent words and rare ones come in real texts."""
    rng = random.Random(seed)
    letters = 'bcdfghklmnprstvw'
    words = [
        ''.join(rng.choice(letters) + rng.choice('aeiou') for _ in range(rng.randint(2, 4)))
        for _ in range(_WORDS)
    ]
    weights = [1 / (rank + 1) for rank in range(_WORDS)]
    texts = []
    for number in range(count):
        if number % 5 == 0:
            texts.append(''.join(rng.choice(_HAN) for _ in range(24)) + f'{number}')
        else:
            texts.append(' '.join(rng.choices(words, weights, k=14)) + f' {number}')
    return texts


def write(folder: Path, texts: Sequence[str]) -> None:
    """Write notes as she would, without waiting for the disk."""
    pages: list[list[str]] = [['# pages\n\n']]
    size = 0
    for number, text in enumerate(texts):
        at = _NOW - (number % 1000) * _DAY
        written = Entry(mark(text, number), text, at, importance=(number % 10) / 10).written()
        size += len(written.encode())
        if size > NOTE_BYTES:
            pages.append(['# pages\n\n'])
            size = 0
        pages[-1].append(written)
    for number, page in enumerate(pages):
        path = folder / 'notes' / f'folder-{number % 40}' / f'pages-{number}.md'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(''.join(page), encoding='utf-8')


def timed(work: Callable[[], object]) -> float:
    """Time of a call, ms."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def p95(times: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(times, n=20)[-1]


def bare(database: sqlite3.Connection, query: str) -> None:
    """Search as SQLite does it by itself: the same terms, any of them, the best by bm25."""
    terms = search_terms(query)
    for table, wanted in (('words', terms.long), ('pairs', terms.short)):
        if wanted:
            expression = ' OR '.join(f'"{term}"' for term in wanted)
            database.execute(
                f'SELECT rowid, rank FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?',
                (expression, CANDIDATES),
            ).fetchall()


def measured(size: int) -> list[Figure]:
    """Measure one size."""
    texts = [*filler(size - len(NOTES)), *NOTES]
    random.Random(2).shuffle(texts)
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), texts)
        opened = timed(lambda: Memory(Path(folder)).close())
        memory = Memory(Path(folder))
        again = timed(lambda: Memory(Path(folder)).close())
        database = sqlite3.connect(Path(folder) / 'index.db')
        rng = random.Random(3)
        queries = [question for question, _ in QUESTIONS]
        queries += [
            ' '.join(rng.sample(text.split(), min(3, len(text.split()))))
            for text in rng.sample(texts, 60)
        ]
        hers, its = [], []
        for _ in range(ROUNDS):
            for query in queries:
                its.append(timed(lambda q=query: bare(database, q)))
                hers.append(timed(lambda q=query: memory.recall(q, _NOW)))
        found = sum(
            any(wanted in hit.text for hit in memory.recall(question, _NOW, 5))
            for question, wanted in QUESTIONS
        )
        view = 'close: a letter about the song of the whales\naround: the tea garden, rain, 緑茶'
        retrieving = [timed(lambda: memory.retrieve(view, _NOW, 1500)) for _ in range(50)]
        kept = [
            timed(lambda n=n: memory.remember(f'new thing {n} {texts[n]}', 'self', _NOW))
            for n in range(20)
        ]
        database.close()
        memory.close()
    against = 'the bare FTS5 query'
    named = f'{size:,} notes'
    return [
        Figure(
            f'search, p50, {named}', statistics.median(hers), 'ms', statistics.median(its), against
        ),
        Figure(f'search, p95, {named} (goal 1.5x)', p95(hers), 'ms', p95(its), against),
        Figure(f'recall at 5, {named}', found / len(QUESTIONS), '', 1.0, 'all questions'),
        Figure(f'retrieval for a view, p95, {named}', p95(retrieving), 'ms'),
        Figure(f'remember, median, {named}', statistics.median(kept), 'ms'),
        Figure(f'index made anew, {named}', opened / 1000, 's'),
        Figure(f'opened again, {named}', again, 'ms'),
    ]


def figures() -> list[Figure]:
    """Measure all sizes."""
    return [figure for size in SIZES for figure in measured(size)]


if __name__ == '__main__':
    for figure in figures():
        print(figure)
