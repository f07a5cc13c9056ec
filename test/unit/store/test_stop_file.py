"""The STOP file: whatever is at its path stops her, and nothing ends the watching."""

import errno
import os
import queue
import socket

import pytest

from soul.store import stop_file as stop_module
from soul.store.stop_file import StopFile
from support.waiting import wait_until


def make_directory(path):
    path.mkdir()


def make_full_directory(path):
    path.mkdir()
    (path / 'something').touch()


def make_pipe(path):
    os.mkfifo(path)


def make_dangling_link(path):
    path.symlink_to(path.parent / 'nowhere')


def make_loop(path):
    path.symlink_to(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as ours:
        ours.bind(str(path))


def make_unreadable(path):
    path.write_text('go away')
    path.chmod(0)


def make_binary(path):
    path.write_bytes(b'\xff\xfe\0' * 10_000)


ODD = [
    make_directory,
    make_full_directory,
    make_pipe,
    make_dangling_link,
    make_loop,
    make_socket,
    make_unreadable,
    make_binary,
]


@pytest.fixture
def watched(tmp_path):
    """A watched STOP file, and what was told of it."""
    stop_file = StopFile(tmp_path / 'STOP')
    told = queue.SimpleQueue()
    stop_file.watch(told.put)
    yield stop_file, told
    stop_file.close()


def remove(path):
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            inner.unlink()
        path.rmdir()
    else:
        path.unlink()


@pytest.mark.parametrize('make', ODD)
def test_whatever_is_there_stops_and_the_watching_goes_on(watched, make):
    """found 42: a directory, an unreadable file, a pipe, a link ended the watching for good."""
    stop_file, told = watched
    make(stop_file.path)
    assert told.get(timeout=10) is not None
    remove(stop_file.path)
    while told.get(timeout=10) is not None:
        pass
    stop_file.path.write_text('a good one')
    while told.get(timeout=10) != 'a good one':
        pass


@pytest.mark.parametrize('make', ODD)
def test_a_stop_that_is_ordered_where_something_is_neither_blocks_nor_fails(tmp_path, make):
    """found 42: to write a pipe waited for ever; a link was followed."""
    stop_file = StopFile(tmp_path / 'STOP')
    make(stop_file.path)
    stop_file.write('ordered')
    assert stop_file.read() is not None
    assert not (tmp_path / 'nowhere').exists()


@pytest.mark.parametrize('number', [errno.EIO, errno.EACCES, errno.ESTALE, errno.ENAMETOOLONG])
def test_a_path_that_cannot_be_looked_at_stops(tmp_path, monkeypatch, number):
    """found 42: what the kernel cannot say is no leave to go on."""

    def fail(path):
        raise OSError(number, os.strerror(number), path)

    monkeypatch.setattr(stop_module.os, 'lstat', fail)
    assert os.strerror(number) in StopFile(tmp_path / 'STOP').read()


def test_a_name_that_is_too_long_and_a_home_that_is_a_file_stop(tmp_path):
    """found 42: for the real thing, not for a stand-in."""
    (tmp_path / 'file').touch()
    assert StopFile(tmp_path / 'file' / 'STOP').read() is not None
    assert StopFile(tmp_path / ('x' * 300) / 'STOP').read() is not None


def test_an_empty_directory_is_removed_by_resume_and_a_full_one_is_told(tmp_path):
    """found 42: `resume` either ends the stop or says that it cannot."""
    stop_file = StopFile(tmp_path / 'STOP')
    stop_file.path.mkdir()
    stop_file.write(None)
    assert stop_file.read() is None
    make_full_directory(stop_file.path)
    with pytest.raises(OSError, match='not empty'):
        stop_file.write(None)


@pytest.mark.parametrize('refused', ['instance', 'watch'])
def test_without_inotify_it_is_looked_at_and_said_once(tmp_path, monkeypatch, refused):
    """found 24: no inotify instance or watch left ended the start."""

    class Refusing:
        def __init__(self):
            if refused == 'instance':
                raise OSError(errno.EMFILE, 'Too many open files')

        def add_watch(self, path, mask):
            raise OSError(errno.ENOSPC, 'No space left on device')

        def close(self):
            pass

    monkeypatch.setattr(stop_module, 'INotify', Refusing)
    stop_file = StopFile(tmp_path / 'STOP')
    told, said = queue.SimpleQueue(), []
    stop_file.watch(told.put, said.append)
    try:
        stop_file.path.write_text('stop')
        while told.get(timeout=10) != 'stop':
            pass
        stop_file.path.unlink()
        assert told.get(timeout=10) is None
        assert len(said) == 1
        assert 'watches nothing more' in said[0]
    finally:
        stop_file.close()


def test_whoever_is_told_may_fail_and_is_told_again(tmp_path):
    """found 42: no exception of anybody's ends the watching."""
    stop_file = StopFile(tmp_path / 'STOP')
    heard, said = [], []

    def fail_once(content):
        heard.append(content)
        if len(heard) == 1:
            raise RuntimeError('not now')

    stop_file.watch(fail_once, said.append)
    try:
        stop_file.path.write_text('stop')
        wait_until(lambda: len(heard) >= 2 and heard[-1] == 'stop')
        assert 'not now' in said[0]
    finally:
        stop_file.close()
