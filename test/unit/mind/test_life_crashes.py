"""Death at every step and at any instant: the old or the new state, never a mixture."""

import asyncio
import os
import random
import shutil

import pytest

from soul.backup.backup import backup, restore
from soul.mind.dream import Dream, dream
from soul.mind.dream.cursor import FILE as CURSOR
from soul.mind.pages.schema import migrate, version
from support.crashes import die_before, kill_at_random, steps_of
from support.worlds.life import DAY, NOW, memory, soul, texts

pytestmark = pytest.mark.usefixtures('quick_disk')


def every_step(tmp_path, prepared, work, check):
    """Let `work(home)` die before each of its steps in turn; then `check(home, finished)`."""

    def copy(name):
        home = tmp_path / name / 'home'
        shutil.copytree(prepared, home)
        return home

    total = steps_of(lambda: work(copy('counted')))
    assert total > 3
    for step in range(total + 1):
        home = copy(f'at{step}')
        died = die_before(lambda home=home: work(home), step)
        check(home, not died)
        shutil.rmtree(home.parent)
    return total


def entries(notes):
    return sorted(
        (e.id, e.text, e.origins, e.count)
        for path, _ in notes.notebook.paths()
        for e in notes.notebook.load(path).entries
    )


def indexed(notes):
    rows = notes.catalogue.ask(
        lambda index: index.database.ask('SELECT id, text, origins, count FROM entries')
    )
    return sorted((i, t, tuple(o.split('+')), c) for i, t, o, c in rows)


def test_a_reflection(tmp_path, home):
    soul(home).self_page.reflect('version 1', NOW)

    def check(home, finished):
        pages = soul(home)
        history = [e.text for e in pages.self_page.history()]
        now = 2 if 'version 2' in pages.self_page.text() else 1
        assert f'version {now}' in pages.self_page.text()
        assert len(history) == now
        assert finished <= (now == 2)
        assert pages.changed_by_others() == [], 'it was nobody else'
        pages.self_page.reflect('version 3', NOW)
        assert len(pages.self_page.history()) == now + 1

    every_step(tmp_path, home, lambda h: soul(h).self_page.reflect('version 2', NOW), check)


def test_settling(tmp_path, home):
    pages = soul(home)
    pages.matters.keep('the key', NOW)
    pages.matters.keep('the door', NOW)

    def check(home, finished):
        open_ones = [e.text for e in soul(home).matters.entries()]
        settled = texts(home).get('soul/MIND.settled.md', '')
        assert ('the key' in open_ones) is not ('the key' in settled)
        assert 'the door' in open_ones
        assert finished <= ('the key' in settled)

    every_step(tmp_path, home, lambda h: soul(h).matters.settle('key', NOW), check)


def test_the_first_opening(tmp_path):
    prepared = tmp_path / 'prepared'
    (prepared / 'soul').mkdir(parents=True)
    (prepared / 'soul/DIARY.md').write_text('# Diary\n\n## 2026-10-01 10:00\n\nfirst\n\n')

    def check(home, finished):
        pages = soul(home)
        assert [e.text for e in pages.diary.entries()] == ['first']
        assert pages.aspirations.own()
        assert pages.self_page.text()
        assert pages.changed_by_others() == []

    every_step(tmp_path, prepared, soul, check)


def test_a_migration(tmp_path, home):
    soul(home)
    folder = home / 'soul'
    (folder / 'A.md').write_text('a')
    (folder / 'B.md').write_text('b')
    states = {
        2: {'A.md': 'a', 'B.md': 'b'},
        3: {'A.md': 'b', 'B.md': 'a'},
        4: {'B.md': 'aa', 'C.md': 'new'},
    }
    steps = (
        lambda pages: {},
        lambda pages: {},
        lambda pages: {'A.md': pages['B.md'], 'B.md': pages['A.md']},
        lambda pages: {'A.md': None, 'B.md': pages['B.md'] * 2, 'C.md': 'new'},
    )

    def check(home, finished):
        folder = home / 'soul'
        number = version(folder)
        if (folder / '.intent').exists():
            migrate(folder, steps[:number])  # does what was begun, and may refuse to go back
        number = version(folder)
        there = {
            n: (folder / n).read_text() for n in ('A.md', 'B.md', 'C.md') if (folder / n).exists()
        }
        assert there == states[number]
        assert finished <= (number == 4)
        migrate(folder, steps)
        assert version(folder) == 4

    def check_safely(home, finished):
        from soul.mind.pages import SchemaTooNew

        try:
            check(home, finished)
        except SchemaTooNew:
            check(home, finished)

    every_step(tmp_path, home, lambda h: migrate(h / 'soul', steps), check_safely)


def test_remembering_and_making_room(tmp_path, home):
    notes = memory(home, cap=250)
    for n in range(4):
        notes.remember(f'{n * 7919} owls on a roof somewhere', 'self', NOW + n, resident=True)
    before = entries(notes)
    notes.close()

    def work(home):
        notes = memory(home, cap=250)
        notes.remember('one more thing about the old roof', 'web', NOW + 9, 0.9, resident=True)

    def check(home, finished):
        notes = memory(home, cap=250)
        there = entries(notes)
        assert [e for e in there if e[1].startswith('one more')] or not finished
        assert [e for e in there if not e[1].startswith('one more')] == before
        assert indexed(notes) == there
        notes.close()

    every_step(tmp_path, home, work, check)


@pytest.fixture
def before_dream(home):
    pages, notes = soul(home), memory(home, cap=900)
    for n in range(9):
        notes.remember(f'{n * 7919} owls on roof {n * 31} of the town', 'web' if n % 3 else 'self',
                       NOW + n, resident=True)  # fmt: skip
    for n in range(4):
        notes.remember(f'{n * 7919} crumbs', 'web', NOW, topic=f'crumbs/c{n}')
    (home / 'memory/notes/empty/deep').mkdir(parents=True)
    for n in range(3):
        pages.diary.add(f'read chapter {n} of a book', NOW - DAY)
    notes.close()
    return home


def whole_dream(home, answer=lambda step: ''):
    pages, notes = soul(home), memory(home, cap=900)

    async def think(step):
        return answer(step)

    asyncio.run(dream(pages, notes, think, lambda: False, lambda: NOW))
    notes.close()


def sound(home, before):
    """Nothing lost, nothing twice; the cursor stands where the gists end; the index agrees."""
    notes = memory(home, cap=900)
    there = entries(notes)
    gists = [e for e in there if 'chapter' in e[1]]
    assert [e for e in there if e not in gists] == before
    cursor = (home / 'memory' / CURSOR).read_text() if (home / 'memory' / CURSOR).exists() else ''
    assert bool(gists) is ('2026-10-04' in cursor)
    assert len(gists) <= 1
    assert indexed(notes) == there
    notes.close()
    return bool(gists)


@pytest.mark.long
def test_a_dream(tmp_path, before_dream):
    notes = memory(before_dream, cap=900)
    before = entries(notes)
    notes.close()

    checked = iter(range(10**6))

    def check(home, finished):
        assert sound(home, before) or not finished
        if next(checked) % 4:
            return
        whole_dream(home)
        assert sound(home, before), 'the next dream does the rest'
        assert not (home / 'memory/notes/empty').exists()

    total = every_step(tmp_path, before_dream, whole_dream, check)
    assert total > 40


def test_a_restore(tmp_path, home):
    soul(home).diary.add('the life that was saved', NOW)
    archive = backup(home, tmp_path / 'safe', NOW)
    other = tmp_path / 'other'
    soul(other).diary.add('the life that was there', NOW)
    saved, there = texts(home), texts(other)

    def check(home, finished):
        assert texts(home) in (saved, there)
        assert finished <= (texts(home) == saved)
        lives = [texts(p) for p in home.parent.iterdir() if 'before-restore' in p.name]
        assert texts(home) == there or there in lives, 'no life is lost'
        restore(archive, home, replace=True)
        assert texts(home) == saved

    every_step(tmp_path / 'x', other, lambda h: restore(archive, h, replace=True), check)


def test_a_restore_into_nothing(tmp_path, home):
    soul(home).diary.add('the life that was saved', NOW)
    archive = backup(home, tmp_path / 'safe', NOW)
    empty = tmp_path / 'empty'
    (empty / 'run').mkdir(parents=True)
    saved = texts(home)

    def check(home, finished):
        assert texts(home) in ({}, saved)
        assert finished <= (texts(home) == saved)
        if texts(home) == {}:
            restore(archive, home)
        assert texts(home) == saved

    every_step(tmp_path / 'x', empty, lambda h: restore(archive, h), check)


def test_a_backup(tmp_path, home):
    soul(home).diary.add('a life', NOW)

    def check(target, finished):
        archives = list(target.glob('soul-*.tar.gz'))
        for archive in archives:
            restored = target / 'restored'
            restore(archive, restored)
            assert texts(restored) == texts(home)
        assert bool(archives) or not finished

    empty = tmp_path / 'safe'
    empty.mkdir()
    every_step(tmp_path / 'x', empty, lambda target: backup(home, target, NOW), check)


@pytest.mark.parametrize('seed', range(2))
def test_restores_killed_at_a_random_instant(tmp_path, home, seed):
    rng = random.Random(seed)
    lives = []
    for name in ('one', 'two'):
        other = tmp_path / name
        for n in range(4):
            soul(other).diary.add(f'life {name}, day {n}', NOW)
        lives.append((backup(other, tmp_path / 'safe', NOW), texts(other)))
    restore(lives[0][0], home)
    for _ in range(8):

        def work(n):
            aside = restore(lives[n % 2][0], home, replace=True)
            shutil.rmtree(aside)

        kill_at_random(work, rng, most_done=2)
        assert texts(home) in (lives[0][1], lives[1][1])


@pytest.mark.parametrize('seed', range(2))
def test_migrations_killed_at_a_random_instant(tmp_path, home, seed):
    rng = random.Random(seed)
    soul(home)
    for name in 'ABCDEF':
        (home / f'soul/{name}.md').write_text('0')
    steps = tuple(
        lambda pages, n=n: {f'{name}.md': f'{n}' for name in 'ABCDEF'} for n in range(1, 40)
    )
    for _ in range(8):
        kill_at_random(lambda n: migrate(home / 'soul', steps[: 2 + n]), rng, most_done=3)
        soul_folder = home / 'soul'
        before = version(soul_folder)
        migrate(soul_folder, steps)
        there = {name: (soul_folder / f'{name}.md').read_text() for name in 'ABCDEF'}
        assert set(there.values()) == {str(len(steps))}
        assert before <= len(steps)
        # begin again
        for name in 'ABCDEF':
            (soul_folder / f'{name}.md').write_text('1')
        (soul_folder / 'SCHEMA').write_text('1')


@pytest.mark.parametrize('seed', range(5))
def test_killed_at_a_random_instant(tmp_path, home, seed):
    """Twenty times for each of five seeds: reflecting, remembering and dreaming in turn."""
    rng = random.Random(seed)
    soul(home)
    memory(home, cap=900).close()
    reflections = 0
    for life in range(20):

        def work(n, life=life):
            pages, notes = soul(home), memory(home, cap=900)
            number = len(pages.self_page.history()) + 1
            pages.self_page.reflect(f'version {number}', NOW)
            words = random.Random(life * 1000 + n)
            text = ' '.join(str(words.randrange(10**6)) for _ in range(6))
            notes.remember(text, 'self', NOW + n, resident=True)
            steps = Dream(pages, notes)
            while step := steps.next(NOW + n):
                steps.apply(step, '', NOW + n)
            notes.close()

        done = kill_at_random(work, rng, most_done=3)
        pages, notes = soul(home), memory(home, cap=900)
        history = pages.self_page.history()
        assert len(history) >= reflections + done
        assert f'version {len(history)}' in pages.self_page.text()
        assert [f'version {n}' in e.text for n, e in enumerate(history)][1:] == [True] * (
            len(history) - 1
        )
        reflections = len(history)
        there = entries(notes)
        assert len({e[0] for e in there}) == len(there), 'nothing twice'
        assert indexed(notes) == there
        assert len(there) >= done
        assert pages.changed_by_others() == []
        assert [*pages.anomalies, *notes.anomalies] == []
        notes.close()
    assert os.path.isdir(home)
