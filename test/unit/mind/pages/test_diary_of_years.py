"""A diary of years: the newest month in DIARY.md, each older one in a file that is let alone."""

import asyncio
import os
import random
import shutil

import pytest

from soul.backup.backup import backup, restore
from soul.mind.dream import dream
from soul.mind.pages.months import split
from soul.mind.pages.schema import version
from support.crashes import die_before, steps_of
from support.worlds.life import DAY, HOUR, NOW, ZONE, memory, snapshot, soul, texts

pytestmark = pytest.mark.usefixtures('quick_disk')

YEAR = """# Diary

Whoever finds this, please give it back.

## 2025-11-30 23:50

an owl in the night

## 2025-12-01 00:10

snow on the roof
### not a date
of the shed

## 2026-08-05 12:00

<!-- ## 2026-01-01 10:00
hidden
-->
a boat on the river

## 2026-10-04 09:00

bread
"""
TEXTS = ['an owl in the night', 'snow on the roof\n### not a date\nof the shed',
         'a boat on the river', 'bread']  # fmt: skip


def old_home(home, page=YEAR):
    """A home as the version before has made it."""
    folder = home / 'soul'
    folder.mkdir(parents=True)
    (folder / 'DIARY.md').write_bytes(page.encode('utf-8', 'surrogateescape'))
    (folder / 'SCHEMA').write_text('1\n')
    return folder


def told(pages):
    return [entry.text for entry in pages.diary.entries()]


@pytest.fixture
def later(monkeypatch):
    """Files count as changed long ago at once."""
    monkeypatch.setattr('soul.store.reading.FRESH_NANOSECONDS', -1)


@pytest.fixture
def reads(monkeypatch):
    """Names of the files that are read whole."""
    import soul.store.reading as reading

    names, real = [], reading.read_bytes_of

    def read(path):
        names.append(path.name)
        return real(path)

    monkeypatch.setattr(reading, 'read_bytes_of', read)
    return names


def test_a_diary_of_the_version_before_becomes_a_file_a_month(home):
    folder = old_home(home)
    pages = soul(home)
    assert version(folder) == 2
    assert sorted(p.name for p in (folder / 'DIARY').glob('*.md')) == [
        '2025-11.md', '2025-12.md', '2026-08.md',
    ]  # fmt: skip
    assert told(pages) == TEXTS
    page = (folder / 'DIARY.md').read_text()
    assert page == YEAR[: YEAR.index('## 2025-11-30')] + YEAR[YEAR.index('## 2026-10-04') :]
    assert (folder / 'DIARY/2026-08.md').read_text().startswith('# 2026-08\n\n## 2026-08-05')
    assert '## 2026-01-01 10:00\nhidden' in (folder / 'DIARY/2026-08.md').read_text()
    assert pages.changed_by_others() == []
    before = texts(home)
    assert told(soul(home)) == TEXTS
    assert texts(home) == before


def test_months_are_those_of_the_zone_of_her_pages(home):
    old_home(home, '## 2026-08-31T23:30Z\n\nlate\n\n## 2026-10-01\n\nnow\n')
    soul(home)
    there = texts(home)
    assert 'late' in there['soul/DIARY/2026-09.md'], 'in Berlin it was September'


def test_a_migration_that_dies_at_any_step_loses_nothing_and_repeats_nothing(tmp_path):
    prepared = tmp_path / 'prepared'
    old_home(prepared)
    copy = shutil.copytree(prepared, tmp_path / 'counted')
    total = steps_of(lambda: soul(copy))
    assert total > 20
    for step in range(total + 1):
        home = shutil.copytree(prepared, tmp_path / f'at{step}')
        die_before(lambda home=home: soul(home), step)
        pages = soul(home)
        assert told(pages) == TEXTS
        assert version(home / 'soul') == 2
        assert pages.changed_by_others() == []
        assert pages.anomalies == []
        assert not list((home / 'soul').rglob('*conflict*'))
        assert not list((home / 'soul').rglob('*.new'))


def test_when_a_month_begins_the_one_before_moves_and_dying_meanwhile_loses_nothing(tmp_path):
    prepared = tmp_path / 'prepared'
    pages = soul(prepared)
    for number in range(3):
        pages.diary.add(f'entry {number}', NOW + number * DAY)

    def work(home):
        soul(home).diary.add('november', NOW + 30 * DAY)

    copy = shutil.copytree(prepared, tmp_path / 'counted')
    total = steps_of(lambda: work(copy))
    there = texts(copy)
    assert 'entry' not in there['soul/DIARY.md']
    assert [f'entry {n}' in there['soul/DIARY/2026-10.md'] for n in range(3)] == [True] * 3
    for step in range(total + 1):
        home = shutil.copytree(prepared, tmp_path / f'at{step}')
        died = die_before(lambda home=home: work(home), step)
        pages = soul(home)
        before = ['entry 0', 'entry 1', 'entry 2']
        assert told(pages) in ([before] if not died else []) + [before, [*before, 'november']]
        assert died or told(pages)[-1] == 'november'
        assert pages.changed_by_others() == []


def test_the_window_and_the_older_entry_reach_into_the_months_before(home):
    pages = soul(home)
    for number in range(40):
        word = ''.join(random.Random(number).choices('abcdefghijklmnopqrstuvwxyz', k=30))
        pages.diary.add(f'{word} {number * 7919}', NOW + number * 4 * DAY)
    pages = soul(home)
    assert len(pages.diary.entries()) == 40
    journal = snapshot(pages).journal.splitlines()
    assert journal[0].startswith('Long before, ')
    assert [str(n * 7919) in line for n, line in zip(range(30, 40), journal[-10:], strict=True)]
    older = {snapshot(pages, seed=seed).journal.splitlines()[0][:24] for seed in range(40)}
    assert len({line[13:20] for line in older}) > 2, 'from any month'
    assert any('29 older' in left for left in snapshot(pages).left_out)


def test_a_waking_reads_no_month_that_has_not_changed(home, later, reads):
    old_home(home)
    soul(home)
    snapshot(soul(home))
    pages = soul(home)
    reads.clear()
    assert told(pages) == TEXTS
    for seed in range(20):
        pages.diary.add('one more', NOW)
        snapshot(pages, seed=seed)
    assert [name for name in reads if name.startswith('20')] == []
    again = soul(home)
    reads.clear()
    assert again.changed_by_others() == []
    assert again.diary.days()[0] == '2025-11-30'
    assert len(again.diary.entries()) == 24
    assert [name for name in reads if name.startswith('20')] == [], 'also not after a start'


@pytest.mark.parametrize('name', ['2025-11.md', '2026-08.md'])
def test_an_edit_of_an_old_month_is_read_and_told_once(home, name):
    old_home(home)
    pages = soul(home)
    snapshot(pages)
    path = home / 'soul/DIARY' / name
    path.write_text(path.read_text() + '\n## 2025-11-30 23:55\n\nby a person\n')
    assert 'by a person' in told(pages)
    assert snapshot(pages).edits == (f'Somebody else changed DIARY/{name}.',)
    assert snapshot(pages).edits == ()
    path.write_text(path.read_text() + '\nmore\n')
    assert soul(home).changed_by_others() == [f'DIARY/{name}'], 'also while she was not there'
    path.unlink()
    assert f'Somebody else took DIARY/{name} away.' in snapshot(soul(home)).edits


def test_what_moves_goes_behind_what_a_person_wrote_into_that_month(home):
    pages = soul(home)
    pages.diary.add('october', NOW)
    (home / 'soul/DIARY').mkdir()
    (home / 'soul/DIARY/2026-10.md').write_text('## 2026-10-01\n\nby a person, without an end')
    pages.diary.add('november', NOW + 30 * DAY)
    assert told(pages) == ['by a person, without an end', 'october', 'november']
    assert 'Somebody else changed DIARY/2026-10.md.' in snapshot(pages).edits or (
        'Somebody else put DIARY/2026-10.md beside your pages.' in snapshot(pages).edits
    )


def test_a_month_that_is_edited_while_another_one_moves_is_not_written_over(home, monkeypatch):
    pages = soul(home)
    pages.diary.add('october', NOW)
    import soul.store.transaction as transaction

    real, edits = transaction.write_new, iter(['once'])
    path = home / 'soul/DIARY/2026-10.md'

    def slow(where, data, mode=0o600):
        real(where, data, mode)
        for _ in edits:
            path.parent.mkdir(exist_ok=True)
            path.write_text('## 2026-10-02\n\nby a person\n')

    monkeypatch.setattr(transaction, 'write_new', slow)
    pages.diary.add('november', NOW + 30 * DAY)
    there = texts(home)
    assert path.read_text() == '## 2026-10-02\n\nby a person\n'
    assert 'october' in there['soul/DIARY/2026-10.conflict.md']
    assert 'november' in there['soul/DIARY.md']
    edits = snapshot(soul(home)).edits
    assert any('DIARY/2026-10.conflict.md' in edit for edit in edits), 'she is told where hers is'


def unreadable(path):
    path.mkdir()


def pipe(path):
    os.mkfifo(path)


def dangling(path):
    path.symlink_to(path.parent / 'nowhere')


def empty(path):
    path.touch()


@pytest.mark.parametrize(
    ('name', 'odd'),
    [
        *(('DIARY/2026-10.md', odd) for odd in (unreadable, pipe, dangling)),
        *(('DIARY', odd) for odd in (empty, pipe, dangling)),
    ],
)
def test_where_a_month_cannot_be_written_its_entries_stay_in_the_newest_page(home, name, odd):
    pages = soul(home)
    pages.diary.add('september', NOW - 30 * DAY)
    pages.diary.add('october', NOW)
    if name == 'DIARY':
        shutil.rmtree(home / 'soul/DIARY')
        pages = soul(home)
    odd(home / 'soul' / name)
    pages.diary.add('november', NOW + 30 * DAY)
    expected = ['october', 'november'] if name == 'DIARY' else ['september', 'october', 'november']
    assert told(pages) == expected
    assert any('left out' in news for news in pages.news())
    assert 'october' in (home / 'soul/DIARY.md').read_text()
    path = home / 'soul' / name
    path.rmdir() if path.is_dir() else path.unlink()
    pages.diary.add('november again', NOW + 30 * DAY)
    assert 'october' not in (home / 'soul/DIARY.md').read_text(), 'now it could move'
    assert told(pages) == [*expected, 'november again']


def test_a_month_that_cannot_be_read_costs_itself_alone(home):
    old_home(home)
    snapshot(soul(home))
    path = home / 'soul/DIARY/2025-12.md'
    text = path.read_text()
    path.unlink()
    path.mkdir()
    pages = soul(home)
    assert told(pages) == [TEXTS[0], *TEXTS[2:]]
    assert snapshot(pages).edits == (), 'it is not gone'
    assert sum('2025-12.md' in news for news in pages.news()) == 1
    path.rmdir()
    path.write_text(text)
    assert told(pages) == TEXTS


@pytest.mark.parametrize('encoding', ['utf-16', 'utf-16-le', 'utf-8-sig'])
def test_a_month_in_another_encoding_is_read_entry_by_entry(home, encoding):
    folder = old_home(home)
    soul(home)
    page = '# x\r\n\r\n## 2026-08-05 08:00\r\n\r\nGrüße 😀\r\n\r\n## 2026-08-06\r\n\r\n你好\r\n'
    (folder / 'DIARY/2026-08.md').write_bytes(page.encode(encoding))
    assert told(soul(home))[2:4] == ['Grüße 😀', '你好']


def test_bytes_that_are_no_text_survive_the_move(home):
    folder = old_home(home, YEAR.replace('an owl', 'an owl \udcff\udce4'))
    pages = soul(home)
    assert b'an owl \xff\xe4 in the night' in (folder / 'DIARY/2025-11.md').read_bytes()
    assert told(pages)[0].startswith('an owl')
    assert told(pages)[1:] == TEXTS[1:]


def test_other_files_beside_the_months_are_let_alone_and_told_of(home):
    old_home(home)
    snapshot(soul(home))
    for name in ('holiday.md', '2026-13.md', '2025-11.sync-conflict-20261130-120000-ABC.md'):
        (home / 'soul/DIARY' / name).write_text('## 2025-11-30\n\nsomebody\n')
    (home / 'soul/DIARY/notes.txt').write_text('x')
    pages = soul(home)
    assert told(pages) == TEXTS
    assert len(snapshot(pages).edits) == 3
    assert snapshot(pages).edits == ()


def test_entries_without_a_date_stay_in_the_newest_page(home):
    page = f'no date at all\n\n{YEAR}'.replace('## 2025-11-30 23:50', '## in autumn')
    old_home(home, page)
    pages = soul(home)
    pages.diary.add('today', NOW + 60 * DAY)
    page = (home / 'soul/DIARY.md').read_text()
    assert page.startswith('no date at all\n')
    assert '## in autumn\n\nan owl in the night' in page


def test_a_clock_that_was_ahead_and_is_set_back_loses_no_entry(home):
    pages = soul(home)
    pages.diary.add('before', NOW)
    pages.diary.add('in a wrong year', NOW + 900 * DAY)
    pages.diary.add('after', NOW + HOUR)
    assert told(pages) == ['before', 'in a wrong year', 'after']
    assert snapshot(pages).journal.splitlines()[-1].endswith('after'), 'what she wrote last'
    pages.diary.add('a month later', NOW + 30 * DAY)
    assert told(pages) == ['before', 'after', 'in a wrong year', 'a month later']
    assert 'after' in (home / 'soul/DIARY/2026-10.md').read_text()


def test_a_clock_that_has_not_been_set_yet_moves_nothing_away(home):
    pages = soul(home)
    pages.diary.add('october', NOW)
    pages.diary.add('the clock began at its first day', 60.0)
    assert told(pages) == ['october', 'the clock began at its first day']
    pages.diary.add('the clock is right again', NOW + HOUR)
    assert sorted(told(pages)) == sorted(
        ['october', 'the clock began at its first day', 'the clock is right again']
    )
    assert (home / 'soul/DIARY/1970-01.md').exists()


def test_dreams_fold_the_days_of_old_months_and_read_no_others(home, later, reads):
    old_home(home)
    pages, notes = soul(home), memory(home)

    async def think(step):
        return ''

    def night(now):
        came = asyncio.run(dream(pages, notes, think, lambda: False, lambda: now))
        return [one.step.key for one in came if one.step.kind == 'gist']

    assert night(NOW) == ['2025-11-30', '2025-12-01', '2026-08-05', '2026-10-04']
    assert night(NOW) == []
    pages.diary.add('october', NOW)
    pages.diary.add('november', NOW + 30 * DAY)
    reads.clear()
    assert night(NOW + 31 * DAY) == ['2026-10-05', '2026-11-04']
    assert not {'2025-11.md', '2025-12.md', '2026-08.md'} & set(reads)
    notes.close()


def test_a_backup_brings_all_months_back(home, tmp_path):
    old_home(home)
    pages = soul(home)
    archive = backup(home, tmp_path / 'safe', NOW)
    (home / 'soul/DIARY/2025-11.md').write_text('ruined')
    pages.diary.add('of another life', NOW + 60 * DAY)
    restore(archive, home, replace=True)
    again = soul(home)
    assert told(again) == TEXTS
    assert again.changed_by_others() == []


def test_a_backup_of_the_version_before_is_brought_to_this_one(home, tmp_path):
    old_home(home)
    archive = backup(home, tmp_path / 'safe', NOW)
    soul(home).diary.add('of another life', NOW)
    restore(archive, home, replace=True)
    assert told(soul(home)) == TEXTS
    assert version(home / 'soul') == 2


@pytest.mark.parametrize('spoilt', ['', '?', '[]', '[{"name": 3}]'])
def test_what_is_kept_about_the_months_may_be_lost(home, later, spoilt):
    old_home(home)
    snapshot(soul(home))
    (home / 'soul/DIARY/.months.json').write_text(spoilt)
    pages = soul(home)
    assert told(pages) == TEXTS
    assert pages.changed_by_others() == []


def test_splitting_keeps_every_line_where_it_belongs():
    rng = random.Random(3)
    for _ in range(200):
        pieces = [
            rng.choice(['## 2026-0{m}-1{d}\n', 'text {d}\n', '\n', '<!-- {d}\n', '-->\n', '# x\n'])
            .replace('{m}', str(rng.randint(1, 9)))
            .replace('{d}', str(rng.randint(0, 9)))
            for _ in range(rng.randint(0, 14))
        ]
        page = ''.join(pieces)
        there = {f'DIARY/2026-0{m}.md': None for m in range(1, 10)}
        becomes = split(page, '2026-05', there, ZONE) or {'DIARY.md': page}
        lines = sorted(line for text in becomes.values() for line in text.splitlines() if line)
        made = [f'# {name[6:13]}' for name in becomes if name != 'DIARY.md']
        assert lines == sorted([line for line in page.splitlines() if line] + made)
        assert all(f'## {name[6:13]}' in text for name, text in becomes.items() if '/' in name)
