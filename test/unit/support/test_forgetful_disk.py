"""The disk of the tests forgets what a real one may forget, and keeps what a real one keeps."""

import os

import pytest

from soul.store import AtomicFile, Journal
from soul.store.durable import sync_directory, write_new
from support.forgetful_disk import ForgetfulDisk


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / 'disk'
    folder.mkdir()
    return folder


def left(image, tmp_path):
    """Return what an image holds: texts by path, None for a directory."""
    number = sum(1 for _ in tmp_path.iterdir())
    target = image.write(tmp_path / f'image{number}')
    return {
        str(path.relative_to(target)): None if path.is_dir() else path.read_text()
        for path in sorted(target.rglob('*'))
    }


def test_what_was_there_before_is_kept(root, tmp_path):
    (root / 'a').write_text('old')
    with ForgetfulDisk(root) as disk:
        (root / 'a').write_text('new')
        assert left(disk.now(), tmp_path) == {'a': 'old'}


def test_a_name_that_was_not_synced_is_gone(root, tmp_path):
    with ForgetfulDisk(root) as disk:
        write_new(root / 'a', b'text')
        assert left(disk.now(), tmp_path) == {}
        sync_directory(root)
        assert left(disk.now(), tmp_path) == {'a': 'text'}


def test_data_that_was_not_synced_is_gone(root, tmp_path):
    with ForgetfulDisk(root) as disk:
        with (root / 'a').open('w') as file:
            file.write('one ')
            file.flush()
            sync_directory(root)
            assert left(disk.now(), tmp_path) == {'a': ''}
            os.fdatasync(file)
            file.write('two')
        assert left(disk.now(), tmp_path) == {'a': 'one '}


def test_a_renamed_file_has_its_old_name(root, tmp_path):
    with ForgetfulDisk(root) as disk:
        write_new(root / 'a', b'text')
        sync_directory(root)
        os.replace(root / 'a', root / 'b')
        assert left(disk.now(), tmp_path) == {'a': 'text'}
        sync_directory(root)
        assert left(disk.now(), tmp_path) == {'b': 'text'}


def test_a_removed_file_comes_back_though_its_number_is_used_again(root, tmp_path):
    with ForgetfulDisk(root) as disk:
        write_new(root / 'a', b'text')
        sync_directory(root)
        (root / 'a').unlink()
        for n in range(20):
            (root / f'other{n}').write_text('never synced')
        assert left(disk.now(), tmp_path) == {'a': 'text'}
        sync_directory(root)
        assert set(left(disk.now(), tmp_path).values()) == {''}


def test_a_directory_without_a_name_takes_all_with_it(root, tmp_path):
    with ForgetfulDisk(root) as disk:
        (root / 'in').mkdir()
        write_new(root / 'in/a', b'text')
        sync_directory(root / 'in')
        assert left(disk.now(), tmp_path) == {}
        sync_directory(root)
        assert left(disk.now(), tmp_path) == {'in': None, 'in/a': 'text'}


def test_there_is_an_image_before_each_sync(root, tmp_path):
    told = []
    with ForgetfulDisk(root, lambda: len(told)) as disk:
        file = AtomicFile(root / 'state.json')
        for n in range(3):
            file.write({'n': n})
            told.append(n)
    assert [image.before for image in disk.images] == ['.state.json.new', '.'] * 3 + ['']
    for number, image in enumerate(disk.images):
        kept = AtomicFile(image.write(tmp_path / f'{number}') / 'state.json').read()
        assert image.told == (kept['n'] + 1 if kept else 0)


def test_what_a_rotation_has_put_aside_is_synced_too(root, tmp_path):
    with ForgetfulDisk(root) as disk:
        journal = Journal(root / 'a.jsonl', rotate_bytes=20)
        journal.append({'n': 'long enough to rotate'}, durable=False)
        journal.sync()
    cut = disk.images[-1].write(tmp_path / 'cut')
    assert list(Journal(cut / 'a.jsonl').entries(100)) == [{'n': 'long enough to rotate'}]


@pytest.mark.parametrize('durable', [False, True])
def test_a_journal_loses_what_nobody_waited_for(root, tmp_path, durable):
    with ForgetfulDisk(root) as disk:
        journal = Journal(root / 'a.jsonl')
        for n in range(3):
            journal.append({'n': n}, durable)
        journal.close()
    kept = list(Journal(disk.images[-1].write(tmp_path / 'cut') / 'a.jsonl').entries())
    assert kept == ([{'n': 0}, {'n': 1}, {'n': 2}] if durable else [])
