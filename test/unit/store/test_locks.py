"""Locks that nobody removes unnoticed, and that nobody can lead astray."""

import json
import os
import shutil
import socket
import stat
import threading

import pytest
from click.testing import CliRunner

from soul.backup.backup import restore
from soul.cli.main import app
from soul.core.keeper import Keeper
from soul.store import Home, HomeInUse, HomeUnusable, InstanceLock
from soul.store import runtime as runtime_module
from soul.store.lock import LockFile, lives, twins
from soul.store.runtime import own_folder, runtime_folder


@pytest.fixture(autouse=True)
def runtime(tmp_path, monkeypatch):
    """A runtime folder of its own."""
    folder = tmp_path / 'runtime'
    folder.mkdir(mode=0o700)
    monkeypatch.setenv('XDG_RUNTIME_DIR', str(folder))
    return folder


def remove_files(home):
    for path in home.run.glob('*.lock'):
        path.unlink()


def remove_folder(home):
    shutil.rmtree(home.run)


def exchange_files(home):
    for path in home.run.glob('*.lock'):
        path.unlink()
        path.touch()


@pytest.mark.parametrize('remove', [remove_files, remove_folder, exchange_files])
def test_removed_locks_let_nobody_in_and_are_made_anew(home, remove):
    """found 47: after `rm run/*.lock` a second suite began on one home."""
    where = Home(home)
    keeper = Keeper(where, 'heart', 'heart.json', holder='/soul/heart')
    remove(where)
    with pytest.raises(HomeInUse, match='/soul/heart'):
        Keeper(where, 'heart', 'heart.json', holder='/other/heart')
    assert lives(home, 'heart')
    # the refused one has left its file behind, and lets it go
    assert keeper.hold() == ''
    assert 'had vanished' in keeper.anomalies[0]
    shutil.rmtree(twins(home))
    with pytest.raises(HomeInUse, match='/soul/heart'):
        Keeper(where, 'heart', 'heart.json')
    keeper.close()
    assert not lives(home, 'heart')
    Keeper(where, 'heart', 'heart.json').close()


def test_a_living_home_without_its_locks_is_neither_replaced_nor_changed(home, tmp_path):
    """found 47: the same for restore, begin-anew and the index of her memory."""
    where = Home(home)
    keeper = Keeper(where, 'mind', 'mind.json')
    keeper.save({'n': 1})
    result = CliRunner().invoke(app, ['backup', '--home', str(home)])
    assert result.exit_code == 0
    (archive,) = (home / 'backups').glob('*.tar.gz')
    shutil.rmtree(where.run)
    with pytest.raises(HomeInUse):
        restore(archive, home, replace=True)
    (home / 'memory').mkdir(exist_ok=True)
    for command in (['life', 'begin-anew', 'mind.json'], ['memory', 'rebuild']):
        result = CliRunner().invoke(app, [*command, '--home', str(home)])
        assert result.exit_code == 1
        assert 'mind' in result.output or 'she lives' in result.output
    keeper.close()


def test_only_one_of_many_that_remove_and_take_gets_it(home):
    """found 47: between the opening of a lock and its taking somebody may remove it."""
    where = Home(home)
    where.ensure()
    won, go = [], threading.Event()

    def attempt():
        go.wait()
        for _ in range(50):
            try:
                won.append(InstanceLock(where.run / 'x.lock', 'x').acquire())
            except HomeInUse:
                shutil.rmtree(where.run, ignore_errors=True)
            except OSError:
                continue  # the folder was removed just now

    threads = [threading.Thread(target=attempt, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    won[0].release()


@pytest.mark.parametrize('place', ['home', 'runtime'])
def test_links_are_not_followed_and_nothing_is_overwritten(home, tmp_path, place):
    """found 27: a symbolic link in the place of a lock overwrote what it pointed to."""
    where = Home(home)
    where.ensure()
    treasure = tmp_path / 'treasure'
    treasure.write_text('precious')
    folder = where.run if place == 'home' else twins(home)
    (folder / 'heart.lock').symlink_to(treasure)
    with pytest.raises(HomeUnusable, match=r'heart\.lock is no file'):
        Keeper(where, 'heart')
    assert treasure.read_text() == 'precious'


@pytest.mark.parametrize('kind', ['directory', 'pipe', 'socket', 'dangling'])
def test_whatever_is_no_file_is_named(tmp_path, kind):
    """found 27: neither blocked on, nor made, nor written."""
    path = tmp_path / 'x.lock'
    if kind == 'directory':
        path.mkdir()
    elif kind == 'pipe':
        os.mkfifo(path)
    elif kind == 'socket':
        with socket.socket(socket.AF_UNIX) as ours:
            ours.bind(str(path))
    else:
        path.symlink_to(tmp_path / 'nowhere')
    with pytest.raises(HomeUnusable, match=r'x\.lock is no file'):
        LockFile(path, 'x').take()
    assert not (tmp_path / 'nowhere').exists()


def test_the_runtime_folder_is_that_of_the_user(runtime, tmp_path, monkeypatch):
    """found 27: names were locked in a guessable folder that anybody could make before."""
    assert runtime_folder() == runtime / 'soul'
    assert stat.S_IMODE(os.stat(runtime / 'soul').st_mode) == 0o700
    runtime.chmod(0o777)  # it is no folder of hers alone
    temporary = tmp_path / 'tmp'
    temporary.mkdir()
    monkeypatch.setenv('TMPDIR', str(temporary))
    monkeypatch.setattr(runtime_module, 'is_ours', lambda folder: False)
    assert runtime_folder() == temporary / f'soul-{os.geteuid()}'
    assert stat.S_IMODE(os.stat(runtime_folder()).st_mode) == 0o700


@pytest.mark.parametrize('what', ['link', 'file', 'open', 'foreign'])
def test_a_guessable_folder_that_is_not_ours_is_refused(tmp_path, monkeypatch, what):
    """found 27: a foreign folder was taken."""
    folder = tmp_path / 'soul-1'
    if what == 'link':
        (tmp_path / 'elsewhere').mkdir(mode=0o700)
        folder.symlink_to(tmp_path / 'elsewhere')
    elif what == 'file':
        folder.touch()
    else:
        folder.mkdir(mode=0o777 if what == 'open' else 0o700)
        folder.chmod(0o777 if what == 'open' else 0o700)
    if what == 'foreign':
        monkeypatch.setattr(os, 'geteuid', lambda: 12345)
    with pytest.raises(HomeUnusable, match='soul-1 cannot be used'):
        own_folder(folder)


@pytest.mark.parametrize('said', [b'', b'[' * 100_000, b'5', b'{"pid": 1}', b'\xff'])
def test_whatever_a_lock_says_it_is_a_lock(home, said):
    """found 43: what is nested too deeply was a traceback."""
    where = Home(home)
    lock = InstanceLock(where.ensure().run / 'x.lock', 'x').acquire()
    (where.run / 'x.lock').write_bytes(said[:4096])
    with pytest.raises(HomeInUse, match='has not said yet'):
        InstanceLock(where.run / 'x.lock', 'y').acquire()
    lock.release()
    InstanceLock(where.run / 'x.lock', 'y').acquire()
    assert json.loads((where.run / 'x.lock').read_text())['holder'] == 'y'
