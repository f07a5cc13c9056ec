"""The daily backup of a life that goes on."""

import queue
import threading

from soul.backup.backup import backups, restore
from soul.mind.housekeeping import Housekeeping

DAY = 86400.0


def test_one_backup_a_day_that_can_be_restored(tmp_path):
    home, target = tmp_path / 'home', tmp_path / 'home' / 'backups'
    (home / 'soul').mkdir(parents=True)
    (home / 'soul' / 'DIARY.md').write_text('# Diary\n')
    asked = threading.Semaphore(0)
    time = [1_800_000_000.0]

    def now():
        asked.release()
        return time[0]

    house = Housekeeping(home, target, now, print, first=0.0, look=0.01).start()
    try:
        for _ in range(3):
            assert asked.acquire(timeout=10)
        assert len(backups(target)) == 1
        time[0] += DAY
        for _ in range(3):
            assert asked.acquire(timeout=10)
        while len(backups(target)) < 2:
            assert asked.acquire(timeout=10)
    finally:
        house.close()
    again = tmp_path / 'again'
    restore(max(backups(target)), again)
    assert (again / 'soul' / 'DIARY.md').read_text() == '# Diary\n'


def test_why_no_backup_can_be_made_is_told_once(tmp_path):
    home = tmp_path / 'home'
    home.mkdir()
    (tmp_path / 'file').write_text('no folder')
    told = queue.SimpleQueue()
    asked = threading.Semaphore(0)

    def now():
        asked.release()
        return 1_800_000_000.0

    house = Housekeeping(home, tmp_path / 'file' / 'x', now, told.put, 0.0, 0.01).start()
    try:
        for _ in range(5):
            assert asked.acquire(timeout=10)
    finally:
        house.close()
    assert 'file' in told.get(timeout=1)
    assert told.empty()
