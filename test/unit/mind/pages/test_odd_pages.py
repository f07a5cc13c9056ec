"""Pages that cannot be read, or are not as she writes them, cost themselves alone."""

import asyncio
import os
import random
import stat

import pytest

from soul.core.organ import Report
from soul.mind.memory import Memory
from soul.mind.memory.errors import MemoryRefused
from soul.mind.pages import SoulDirectory
from soul.mind.pages.errors import PageRefused
from soul.mind.tools.workbench import BenchArguments, workbench
from soul.signals import Outcome
from soul.store.pages import decoded, read_page, text_of
from soul.store.reading import PageReader
from soul.store.regular import read_regular
from support.minds import Player, World, make, message, until, view

pytestmark = pytest.mark.usefixtures('quick_disk')

NOW = 1_800_000_000.0


def directory(path):
    path.mkdir()


def fifo(path):
    os.mkfifo(path)


def loop(path):
    path.symlink_to(path)


def dangling(path):
    path.symlink_to(path.parent / 'nowhere')


def endless(path):
    path.symlink_to('/dev/zero')


def huge(path):
    with path.open('wb') as file:
        file.truncate(10**10)


def forbidden(path):
    path.write_text('hers')
    path.chmod(0)


ODD = [directory, fifo, loop, dangling, endless, huge, forbidden]


@pytest.fixture
def nobody(monkeypatch):
    """Root may read everything: what is forbidden is then forbidden here."""
    real = os.open

    def opened(path, flags, *more, **options):
        try:
            mode = os.stat(path).st_mode
        except (OSError, TypeError, ValueError):
            mode = 0o600
        if stat.S_ISREG(mode) and not mode & 0o600:
            raise PermissionError(13, 'Permission denied', str(path))
        return real(path, flags, *more, **options)

    monkeypatch.setattr(os, 'open', opened)


@pytest.mark.parametrize('odd', ODD)
@pytest.mark.parametrize('name', ['x.md', 'DIARY.md', 'SELF.md', 'MIND.md', 'MOOD.md'])
def test_a_page_that_cannot_be_read_is_left_out_and_said(tmp_path, nobody, odd, name):
    """found 46: any OSError while her pages were read: 100 failed turns in 7 s, the day spent."""

    async def life():
        world = World()
        player = Player()
        mind = make(tmp_path, player, world)
        page = tmp_path / 'soul' / name
        if page.exists():
            page.unlink()
        odd(page)
        mind.start()
        mind.activate()
        for number in (1, 2, 3):
            mind.on_view(view(number, message(number)))
            await until(lambda n=number: len(world.turns) == n)
        await mind.close()
        return world

    world = asyncio.run(asyncio.wait_for(life(), 20))
    assert [t.outcome for t in world.turns] == [Outcome.SLEPT] * 3
    told = [r.text for r in world.of(Report) if name in r.text and 'left out' in r.text]
    assert len(told) == 1, 'said once while it stays so'


@pytest.mark.parametrize('odd', ODD)
def test_nothing_is_written_over_a_page_that_cannot_be_read(tmp_path, nobody, odd):
    """found 46: what is not understood stays as it is; she reads why."""
    pages = SoulDirectory(tmp_path / 'soul', now=NOW)
    page = tmp_path / 'soul' / 'DIARY.md'
    odd(page)
    before = os.lstat(page)
    with pytest.raises(PageRefused, match='cannot be read'):
        pages.diary.add('today', NOW)
    after = os.lstat(page)
    assert (after.st_ino, after.st_mode, after.st_size) == (
        before.st_ino, before.st_mode, before.st_size,
    )  # fmt: skip
    pages.snapshot(NOW, random.Random(1))


@pytest.mark.parametrize('odd', ODD)
@pytest.mark.parametrize('path', ['RESIDENT.md', 'notes/garden.md'])
def test_a_note_that_cannot_be_read_leaves_the_others(tmp_path, nobody, odd, path):
    """found 46, 50: an unreadable RESIDENT.md made her mute."""
    notes = Memory(tmp_path / 'memory')
    notes.remember('the roof leaks', 'self', NOW, topic='house')
    notes.close()
    odd(tmp_path / 'memory' / path)
    notes = Memory(tmp_path / 'memory')
    assert notes.recall('roof', NOW)
    assert notes.resident_text() == ''
    notes.index_text()
    notes.retrieve('the roof', NOW, 500)
    if path == 'RESIDENT.md' and odd not in (loop, dangling):
        assert any('RESIDENT.md' in news and 'left out' in news for news in notes.news())
        with pytest.raises((MemoryRefused, OSError)):
            notes.remember('always', 'self', NOW, resident=True)
    notes.close()


def test_a_pipe_never_makes_her_wait(tmp_path):
    """found 46: reading a FIFO would wait for ever, and the stop with it."""
    fifo(tmp_path / 'x')
    with pytest.raises(OSError, match='no plain file'):
        read_regular(tmp_path / 'x')


TEXT = '# Diary\r\n\r\n## 2026-11-30 08:00\r\n\r\nGrüße, 你好 😀\r\n'


@pytest.mark.parametrize('encoding', ['utf-16', 'utf-16-le', 'utf-16-be', 'utf-8-sig'])
def test_a_page_that_an_editor_has_written_in_another_encoding_stays_readable(tmp_path, encoding):
    """found 22: she appended UTF-8 to an owner's UTF-16 page, and nobody was told."""
    pages = SoulDirectory(tmp_path / 'soul', now=NOW)
    page = tmp_path / 'soul' / 'DIARY.md'
    page.write_bytes(TEXT.encode(encoding))
    assert 'Grüße, 你好 😀' in pages.pages()['DIARY.md']
    if encoding != 'utf-8-sig':
        assert any('DIARY.md' in news and 'UTF-16' in news for news in pages.news())
    pages.diary.add('a new day', NOW)
    files = [page, *(tmp_path / 'soul' / 'DIARY').glob('*.md')]
    written = '\n'.join(file.read_bytes().decode('utf-8') for file in files)
    assert '\ufeff' not in written
    assert '\0' not in written
    assert 'Grüße, 你好 😀' in written
    assert 'a new day' in written


def test_bytes_that_are_no_text_are_kept_and_told_of(tmp_path):
    """found 22: bytes that are no UTF-8 were kept, but nobody was told."""
    pages = SoulDirectory(tmp_path / 'soul', now=NOW)
    page = tmp_path / 'soul' / 'DIARY.md'
    page.write_bytes(b'# Diary\n\n\xff\xfe is odd\xe4\n')
    assert 'is odd' in pages.pages()['DIARY.md']
    assert any('no UTF-8' in news for news in pages.news())
    assert pages.news() == [], 'once'
    pages.diary.add('a new day', NOW)
    assert b'\xff\xfe is odd\xe4' in page.read_bytes()


def test_what_is_told_once_is_told_again_when_it_comes_back(tmp_path):
    reader, page = PageReader(), tmp_path / 'x.md'
    page.mkdir()
    assert reader.read(page) is None
    assert len(reader.news()) == 1
    assert reader.unreadable(page)
    page.rmdir()
    page.write_text('well')
    assert reader.read(page) == 'well'
    assert not reader.unreadable(page)
    page.unlink()
    page.mkdir()
    reader.read(page)
    assert len(reader.news()) == 1


def test_plain_pages_are_read_as_before(tmp_path):
    for text in ('', 'a', 'ä', '你好', 'a\0b', 'x\r\ny'):
        (tmp_path / 'x.md').write_bytes(text.encode())
        assert read_page(tmp_path / 'x.md') == text
        assert decoded(text.encode())[1] == 'utf-8'
    assert text_of('ab\ufeff'.encode()) == 'ab\ufeff'


@pytest.mark.parametrize(
    'name',
    [
        'garden.sync-conflict-20261130-120000-ABCDEFG.md',
        'garden (conflicted copy 2026-11-30 120000).md',
        "garden (Anna's conflicted copy 2026-11-30).md",
        'garden (Conflicted copy laptop 202611301200).md',
        'garden (conflict).md',
    ],
)
def test_a_conflict_copy_of_a_note_is_no_second_note(tmp_path, name):
    """found 23: copies that a sync program made were recalled as facts beside the notes."""
    notes = Memory(tmp_path / 'memory')
    notes.remember('the apple tree was felled', 'self', NOW, topic='garden')
    copy = tmp_path / 'memory' / 'notes' / name
    copy.write_text('# garden\n\nthe apple tree stands tall\n')
    hits = notes.recall('apple tree', NOW)
    assert ['felled' in hit.entry.text for hit in hits] == [True]
    assert 'tall' not in notes.retrieve('apple tree', NOW, 1000)
    notes.close()
    again = Memory(tmp_path / 'memory')
    again.rebuild()
    assert len(again.recall('apple tree', NOW)) == 1
    assert any(name in news and 'two places' in news for news in again.news())
    assert copy.exists()
    again.close()


@pytest.mark.parametrize('name', ['conflict.md', 'armed conflict (history).md', 'conflicted.md'])
def test_a_note_about_conflicts_is_a_note(tmp_path, name):
    """found 23: only what a sync program names so is a copy."""
    notes = Memory(tmp_path / 'memory')
    path = tmp_path / 'memory' / 'notes' / name
    path.write_text('# x\n\nthe treaty was signed\n')
    assert notes.recall('treaty', NOW)
    notes.close()


class Hands:
    """Hands with a clock."""

    def now(self):
        return NOW


def use(tool, **arguments):
    return asyncio.run(tool.run(BenchArguments(**arguments), Hands()))


def test_a_workbench_below_a_hidden_folder_is_not_empty(tmp_path):
    """found 52: on the default home ("." in `~/.soul`) her workbench was always empty."""
    bench = workbench(tmp_path / '.soul' / 'workbench')
    assert use(bench, action='write', path='boat.md', text='a boat').ok
    (tmp_path / '.soul' / 'workbench' / '.hidden').write_text('x')
    listed = use(bench, action='list').text
    assert 'boat.md' in listed
    assert 'hidden' not in listed


def test_a_utf_16_file_on_the_workbench_is_not_mixed(tmp_path):
    """found 22: the same on her workbench."""
    bench = workbench(tmp_path)
    (tmp_path / 'list.txt').write_bytes('eins\r\n'.encode('utf-16'))
    assert 'eins' in use(bench, action='read', path='list.txt').text
    assert use(bench, action='append', path='list.txt', text='zwei').ok
    assert (tmp_path / 'list.txt').read_bytes().decode('utf-8') == 'eins\nzwei\n'
