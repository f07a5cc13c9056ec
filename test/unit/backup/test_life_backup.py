"""A backup brings the same life back, and nothing else is ever touched."""

import io
import json
import os
import sqlite3
import tarfile

import pytest
from click.testing import CliRunner

from soul.backup.archive import BadArchive
from soul.backup.backup import HomeNotEmpty, backup, backups, daily, restore
from soul.backup.retention import surplus
from soul.keys import KeyStore, MasterKey
from soul.store import HomeInUse, InstanceLock
from support.worlds.life import DAY, NOW, ZONE, memory, snapshot, soul, texts

pytestmark = pytest.mark.usefixtures('quick_disk')


@pytest.fixture
def lived(home):
    pages, notes = soul(home), memory(home)
    for n in range(12):
        pages.diary.add(f'{n}: read about {n * n} kinds of moss', NOW + n * 3600)
        notes.remember(f'moss number {n * 31} grows on stone', 'web', NOW + n, topic='moss')
    notes.remember('Anna likes green tea', 'person', NOW, resident=True)
    pages.self_page.reflect('I read.', NOW)
    (home / 'memory/notes/by hand.md').write_text('The key lies under the pot.')
    guard = sqlite3.connect(home / 'guard.db')
    guard.execute('PRAGMA journal_mode=WAL')
    guard.execute('CREATE TABLE audit (what TEXT)')
    guard.execute("INSERT INTO audit VALUES ('spoke')")
    guard.commit()
    notes.recall('moss', NOW)
    yield home
    guard.close()
    notes.close()


def life(home):
    notes = memory(home)
    told = (
        snapshot(soul(home)),
        notes.resident_text(),
        notes.index_text(),
        notes.retrieve('moss on the stones, the key', NOW, 2000),
        [(h.id, h.score, h.text) for h in notes.recall('moss on stone', NOW, 20)],
    )
    notes.close()
    return told


def test_a_restored_life_is_the_same(lived, tmp_path):
    archive = backup(lived, tmp_path / 'safe', NOW)
    new = tmp_path / 'elsewhere' / 'home'
    assert restore(archive, new) is None
    assert texts(new) == texts(lived)
    assert life(new) == life(lived)
    restored = memory(new)
    assert restored.anomalies == []
    restored.close()
    assert sqlite3.connect(new / 'guard.db').execute('SELECT * FROM audit').fetchall() == [
        ('spoke',)
    ]
    assert (new / 'soul/SELF.md').stat().st_mode & 0o777 == 0o600
    assert archive.stat().st_mode & 0o777 == 0o600


def test_the_index_of_a_restored_life_needs_no_making_anew(lived, tmp_path):
    archive = backup(lived, tmp_path / 'safe', NOW)
    new = tmp_path / 'home2'
    restore(archive, new)
    database = sqlite3.connect(new / 'memory/index.db')
    database.execute("UPDATE entries SET origins='tool'")
    database.commit()
    database.close()
    notes = memory(new)
    assert {h.origins for h in notes.recall('moss', NOW)} == {('tool',)}
    notes.close()


def test_backups_lie_beside_her_files_without_being_part_of_the_next(lived):
    first = backup(lived, lived / 'backups', NOW)
    second = backup(lived, lived / 'backups', NOW)
    assert first != second
    other = backup(lived, lived / 'kept/here', NOW)
    backup(lived, lived / 'kept/here', NOW)
    with tarfile.open(other) as tar:
        assert not [name for name in tar.getnames() if 'tar.gz' in name or '/run/' in name]


def test_a_home_that_holds_a_life_does_not_give_way_unless_told(lived, tmp_path):
    archive = backup(lived, tmp_path, NOW)
    other = tmp_path / 'other'
    soul(other).diary.add('another life', NOW)
    before = texts(other)
    with pytest.raises(HomeNotEmpty, match='holds a life'):
        restore(archive, other)
    assert texts(other) == before
    aside = restore(archive, other, replace=True)
    assert texts(aside) == before, 'the life before is kept whole'
    assert texts(other) == texts(lived)
    assert restore(archive, other, replace=True) != aside


def test_nobody_is_replaced_while_living(lived, tmp_path):
    archive = backup(lived, tmp_path, NOW)
    lock = InstanceLock(lived / 'run/mind.lock', 'the mind').acquire()
    before = texts(lived)
    with pytest.raises(HomeInUse, match=r'mind\.lock.*the mind'):
        restore(archive, lived, replace=True)
    assert texts(lived) == before
    assert backup(lived, tmp_path, NOW + 1).exists(), 'a backup needs no rest'
    lock.release()
    assert restore(archive, lived, replace=True)


def test_an_empty_home_with_nothing_but_locks_is_empty(lived, tmp_path):
    archive = backup(lived, tmp_path, NOW)
    (tmp_path / 'new/run').mkdir(parents=True)
    (tmp_path / 'new/run/heart.lock').touch()
    assert restore(archive, tmp_path / 'new') is None
    assert texts(tmp_path / 'new') == texts(lived)


def _members(path):
    with tarfile.open(path) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar}


def _packed(path, members):
    with tarfile.open(path, 'w:gz') as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def _changed(members):
    members['home/soul/SELF.md'] += b'!'


def _missing(members):
    del members['home/soul/SELF.md']


def _more(members):
    members['home/soul/MORE.md'] = b'x'


def _outside(members):
    manifest = json.loads(members['MANIFEST.json'])
    manifest['files'][0]['path'] = '../outside'
    members['MANIFEST.json'] = json.dumps(manifest).encode()


def _without_list(members):
    del members['MANIFEST.json']


@pytest.mark.parametrize(
    ('damage', 'why'),
    [
        (_changed, 'SELF.md does not match its checksum'),
        (_missing, 'SELF.md is listed and not there'),
        (_more, 'MORE.md is there and not listed'),
        (_outside, 'outside'),
        (_without_list, 'no backup of a soul'),
    ],
)
def test_a_damaged_archive_changes_nothing(lived, tmp_path, damage, why):
    archive = backup(lived, tmp_path, NOW)
    members = _members(archive)
    damage(members)
    _packed(archive, members)
    with pytest.raises(BadArchive, match=why):
        restore(archive, tmp_path / 'new')
    assert not (tmp_path / 'new').exists()
    assert not (tmp_path / 'outside').exists()


def test_a_torn_archive_is_refused_at_any_length(lived, tmp_path):
    archive = backup(lived, tmp_path, NOW)
    data = archive.read_bytes()
    for part in range(8):
        archive.write_bytes(data[: len(data) * part // 8])
        with pytest.raises(BadArchive):
            restore(archive, tmp_path / 'new')


def test_one_backup_a_day_and_old_ones_go(lived, tmp_path):
    target = tmp_path / 'safe'
    for day in range(40):
        assert daily(lived, target, NOW + day * DAY, ZONE)
        assert daily(lived, target, NOW + day * DAY + 3600, ZONE) is None
    days = sorted(round((at - NOW) / DAY) for at in backups(target).values())
    assert days[-7:] == list(range(33, 40))
    assert len(days) == 11
    assert min(days) <= 40 - 28
    (target / 'holiday.tar.gz').touch()
    daily(lived, target, NOW + 41 * DAY, ZONE)
    assert (target / 'holiday.tar.gz').exists(), 'what people put there is theirs'


def test_retention_keeps_seven_days_four_weeks_and_the_future():
    times = [NOW - n * DAY / 2 for n in range(200)]
    kept = sorted(set(times) - set(surplus(times, NOW, zone=ZONE)), reverse=True)
    assert len(kept) == 11
    assert kept[-1] <= NOW - 28 * DAY
    assert [round((NOW - at) / DAY) for at in kept[:7]] == list(range(7))
    assert surplus([NOW + DAY, NOW + 2 * DAY], NOW) == []
    assert surplus([], NOW) == []
    sparse = [NOW - n * 30 * DAY for n in range(20)]
    assert sorted(set(sparse) - set(surplus(sparse, NOW)))[-7:] == sorted(sparse)[-7:]


def test_a_corrupt_database_does_not_keep_her_from_being_saved(lived, tmp_path):
    (lived / 'broken.db').write_bytes(b'SQLite format 3\0' + b'\xff' * 5000)
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(lived / 'broken.db').execute('SELECT * FROM x')
    archive = backup(lived, tmp_path, NOW)
    restore(archive, tmp_path / 'new')
    assert (tmp_path / 'new/broken.db').read_bytes() == (lived / 'broken.db').read_bytes()


def test_the_commands(lived, tmp_path):
    from soul.cli.main import app

    def run(*arguments):
        return CliRunner().invoke(app, list(arguments), env={'COLUMNS': '200'})

    made = run('backup', '--home', str(lived), '--to', str(tmp_path / 'safe'))
    assert made.exit_code == 0, made.output
    archive = next((tmp_path / 'safe').glob('*.tar.gz'))
    assert str(archive) in made.output
    new = tmp_path / 'new'
    assert run('restore', str(archive), '--home', str(new)).exit_code == 0
    again = run('restore', str(archive), '--home', str(new))
    assert again.exit_code == 1
    assert run('restore', str(archive), '--home', str(new), '--replace').exit_code == 0
    shown = run('life', 'show', '--home', str(new))
    assert 'kinds of moss' in shown.output
    assert 'SELF.history.md' in shown.output
    found = run('memory', 'search', 'green tea', '--home', str(new))
    assert 'Anna likes green tea' in found.output
    assert run('memory', 'search', 'zeppelin', '--home', str(new)).exit_code == 1
    assert '14 memories' in run('memory', 'rebuild', '--home', str(new)).output
    lock = InstanceLock(new / 'run/mind.lock', 'the mind').acquire()
    os.utime(new / 'memory/notes/moss.md')
    assert 'moss' in run('memory', 'search', 'moss', '--home', str(new)).output
    refused = run('memory', 'rebuild', '--home', str(new))
    assert refused.exit_code == 1, 'she keeps it herself'
    lock.release()
    for arguments in (('life', 'show'), ('memory', 'search', 'x'), ('memory', 'rebuild')):
        refused = run(*arguments, '--home', str(tmp_path / 'nowhere'))
        assert refused.exit_code == 1
        assert not (tmp_path / 'nowhere').exists()


def test_keys_are_kept_and_what_opens_them_never(tmp_path, home):
    soul(home).diary.add('a life', NOW)
    KeyStore(home, MasterKey.find(home, {}, create=True)).add('anthropic', 'a', 'sk-secret')
    archive = backup(home, tmp_path / 'safe', NOW)
    elsewhere = tmp_path / 'elsewhere'
    restore(archive, elsewhere)
    assert [key.name for key in KeyStore(elsewhere, None).names()] == ['a']
    assert MasterKey.find(elsewhere, {}) is None
    restore(archive, home, replace=True)
    mine = KeyStore(home, MasterKey.find(home, {}))
    assert [key.secret for key in mine.opened()] == ['sk-secret'], (
        'on this machine all is as before'
    )
