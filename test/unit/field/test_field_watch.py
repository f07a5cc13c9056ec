"""Watching her files on a real file system."""

import errno
import os
import queue
import threading
from pathlib import Path

import pytest

from soul.field import watch
from soul.field.watch import Watcher
from soul.store import stoppable_thread


class Watched:
    def __init__(self, home):
        self.home = home
        self.told = []
        self.changed = threading.Condition()
        self.watcher = Watcher(home, Path('workbench'), Path('soul'), self.hear).start()

    def hear(self, files):
        with self.changed:
            self.told += files
            self.changed.notify_all()

    def wait(self, fits, seconds=10):
        def found():
            return next((f for f in self.told if fits(f)), None)

        with self.changed:
            assert self.changed.wait_for(lambda: found() is not None, seconds), self.told
            return found()


@pytest.fixture
def home(tmp_path):
    (tmp_path / 'soul').mkdir()
    (tmp_path / 'workbench' / 'drafts').mkdir(parents=True)
    (tmp_path / 'workbench' / 'drafts' / 'whale.md').write_text('whales sing')
    (tmp_path / 'soul' / 'SELF.md').write_text('I am')
    return tmp_path


@pytest.fixture
def watched(home):
    seen = Watched(home)
    seen.wait(lambda f: f.path == 'soul/SELF.md')
    yield seen
    seen.watcher.close()


def test_what_is_there(watched):
    whale = watched.wait(lambda f: f.path == 'drafts/whale.md')
    assert whale.found
    assert whale.bench
    assert whale.preview == 'whales sing'
    page = watched.wait(lambda f: f.path == 'soul/SELF.md')
    assert not page.bench


def test_a_change_is_told_once_with_its_content(watched):
    path = watched.home / 'workbench' / 'drafts' / 'whale.md'
    for n in range(5):  # as an editor writes
        path.write_text(f'whales sing, version {n}')
    watched.wait(lambda f: f.preview == 'whales sing, version 4' and not f.found)
    assert len([f for f in watched.told if f.path == 'drafts/whale.md' and not f.found]) <= 2


def test_replaced_by_renaming(watched):
    new = watched.home / 'soul' / '.SELF.md.new'
    new.write_text('I have become')
    os.replace(new, watched.home / 'soul' / 'SELF.md')
    watched.wait(lambda f: f.path == 'soul/SELF.md' and f.preview == 'I have become')
    assert not [f for f in watched.told if '.new' in f.path]


def test_the_same_content_again_is_no_change(watched):
    told = len(watched.told)
    (watched.home / 'soul' / 'SELF.md').write_text('I am')
    (watched.home / 'workbench' / 'other.txt').write_text('a sign')
    watched.wait(lambda f: f.path == 'other.txt')
    assert len(watched.told) == told + 1


def test_new_folders_and_removed_files(watched):
    deep = watched.home / 'workbench' / 'a' / 'b'
    deep.mkdir(parents=True)
    (deep / 'c.txt').write_text('deep')
    watched.wait(lambda f: f.path == 'a/b/c.txt')
    (deep / 'c.txt').write_text('deeper')
    watched.wait(lambda f: f.preview == 'deeper')
    (deep / 'c.txt').unlink()
    watched.wait(lambda f: f.path == 'a/b/c.txt' and f.digest == '')


def test_a_workbench_that_comes_later(tmp_path):
    (tmp_path / 'soul').mkdir()
    (tmp_path / 'soul' / 'SELF.md').write_text('I am')
    seen = Watched(tmp_path)
    try:
        assert seen.wait(lambda f: f.path.endswith('SELF.md')).found  # it watches from here on
        (tmp_path / 'workbench').mkdir()
        (tmp_path / 'workbench' / 'first.md').write_text('begun')
        assert not seen.wait(lambda f: f.path == 'first.md').found
    finally:
        seen.watcher.close()


def test_what_is_no_text_has_no_preview_and_links_are_not_followed(watched):
    (watched.home / 'workbench' / 'picture.png').write_bytes(b'\x89PNG\0\0')
    assert watched.wait(lambda f: f.path == 'picture.png').preview == ''
    os.symlink('/etc/passwd', watched.home / 'workbench' / 'link.txt')
    (watched.home / 'workbench' / 'after.txt').write_text('x')
    watched.wait(lambda f: f.path == 'after.txt')
    assert not [f for f in watched.told if f.path == 'link.txt']


def test_lying_still_costs_nothing(home, monkeypatch):
    """Once all is told, it sleeps in the kernel without a time limit, and nothing wakes it."""
    asleep = threading.Event()
    limits = []

    def sleep(self, source, seconds=None):
        limits.append(seconds)
        if seconds is None:
            asleep.set()
        return real(self, source, seconds)

    real = stoppable_thread.StoppableThread.sleep
    monkeypatch.setattr(stoppable_thread.StoppableThread, 'sleep', sleep)
    seen = Watched(home)
    try:
        assert asleep.wait(10)
        assert limits == [None], 'it looked once and never again'
    finally:
        seen.watcher.close()
    assert limits == [None], 'only its end has woken it'


@pytest.mark.parametrize('refused', ['instance', 'watch'])
def test_without_inotify_she_looks_now_and_then_and_says_so(home, monkeypatch, refused):
    """found 24: no inotify instance or watch left ended the watching of her files."""

    class Refusing:
        def __init__(self):
            if refused == 'instance':
                raise OSError(errno.EMFILE, 'Too many open files')
            self.reader, self.writer = os.pipe()

        def fileno(self):
            return self.reader

        def add_watch(self, folder, mask):
            raise OSError(errno.ENOSPC, 'No space left on device')

        def __enter__(self):
            return self

        def __exit__(self, *error):
            os.close(self.reader)
            os.close(self.writer)

    monkeypatch.setattr(watch, 'INotify', Refusing)
    monkeypatch.setattr(watch, 'BLIND', 0.05)
    told, said = queue.SimpleQueue(), []
    watcher = Watcher(home, Path('workbench'), Path('soul'), told.put, said.append).start()
    try:
        (home / 'workbench' / 'plan.txt').write_text('a plan')
        names = []
        while 'plan.txt' not in names:
            names += [file.path for file in told.get(timeout=10)]
        assert len(said) == 1
        assert 'watches nothing more' in said[0]
    finally:
        watcher.close()
