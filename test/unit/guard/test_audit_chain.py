"""Each kind of tampering with the audit is found and named."""

import json
import os
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from soul.cli.main import app
from soul.guard.audit import Audit
from soul.guard.audit_reader import AuditReader, AuditUnreadable
from soul.signals import Act, ActState
from soul.store.atomic import AtomicFile

NOW = 1_800_000_000.0


@pytest.fixture
def lived(home):
    """A home whose guard has written ten rows."""
    audit = Audit(home / 'guard.db')
    for number in range(3):
        act = Act(id=f'a{number}', what='speak', by='her', state=ActState.EXECUTING, text='hello')
        audit.put(act, NOW + number)
        audit.note(NOW + number, 'turn', f'1/{number}', {'steps': number, 'text': 'ö\u2028"'})
    for number in range(3):
        act = Act(id=f'a{number}', what='speak', by='her', state=ActState.DONE, text='hello')
        audit.put(act, NOW + 10.0 + number)
    audit.note(NOW + 20.0, 'stop', 'stop', {})
    AtomicFile(home / 'guard.json').write(
        {'audited': audit.head[0], 'audit_digest': audit.head[1]}
    )
    audit.close()
    return home


def faults(home):
    with closing(AuditReader(home)) as reader:
        return list(reader.faults())


def change(home, *statements):
    with sqlite3.connect(home / 'guard.db') as db:
        for statement in statements:
            db.execute(statement)


def test_what_nobody_touched_is_whole_and_stays_so(lived):
    assert faults(lived) == []
    audit = Audit(lived / 'guard.db')
    audit.note(NOW + 30.0, 'turn', '1/9', {})
    audit.close()
    assert faults(lived) == []
    with closing(AuditReader(lived)) as reader:
        assert [row.number for row in reader.rows()] == list(range(1, 12))
        assert [row.ref for row in reader.rows(kind='turn', newest=2)] == ['1/2', '1/9']
        assert [row.kind for row in reader.rows(since=NOW + 20.0)] == ['stop', 'turn']


@pytest.mark.parametrize(
    ('statement', 'said'),
    [
        ("UPDATE events SET detail = '{}' WHERE number = 4", 'row 4 was changed'),
        ('UPDATE events SET at = at + 1 WHERE number = 1', 'row 1 was changed'),
        ("UPDATE events SET kind = 'x' WHERE number = 10", 'row 10 was changed'),
        ("UPDATE events SET ref = 'a9' WHERE number = 3", 'row 3 was changed'),
        ("UPDATE events SET digest = 'abc' WHERE number = 5", 'row 5 was changed'),
        ("UPDATE events SET digest = '' WHERE number = 5", 'row 5 has no digest'),
        ('DELETE FROM events WHERE number = 6', 'row 6 is missing'),
        ('DELETE FROM events WHERE number BETWEEN 3 AND 5', 'rows 3 to 5 are missing'),
        ('DELETE FROM events WHERE number = 1', 'row 1 is missing'),
        ('DELETE FROM events WHERE number > 8', 'the newest rows are missing: 9 to 10'),
        ('DELETE FROM events', 'the newest rows are missing: 1 to 10'),
        ("UPDATE acts SET text = 'nothing' WHERE id = 'a1'", 'the act a1 was changed'),
        ("UPDATE acts SET state = 'failed' WHERE id = 'a0'", 'the act a0 was changed'),
        ("DELETE FROM acts WHERE id = 'a2'", 'the act a2 is missing'),
        (
            "INSERT INTO events (at, kind, ref, detail) VALUES (0, 'act', 'a0', '{}')",
            'row 11 has no digest',
        ),
    ],
)
def test_each_kind_of_tampering_is_named(lived, statement, said):
    change(lived, statement)
    assert said in faults(lived)


def test_a_row_that_was_replaced_together_with_its_number_is_found(lived):
    change(
        lived,
        'UPDATE events SET number = 100 WHERE number = 4',
        'UPDATE events SET number = 4 WHERE number = 5',
        'UPDATE events SET number = 5 WHERE number = 100',
    )
    assert {'row 4 was changed', 'row 5 was changed'} <= set(faults(lived))


def test_newest_rows_are_missed_also_if_the_database_forgot_their_number(lived):
    change(lived, 'DELETE FROM events WHERE number > 8', 'DELETE FROM sqlite_sequence')
    assert 'the newest rows are missing: 9 to 10' in faults(lived)


def test_a_row_of_somebody_elses_ends_no_guard(lived):
    audit = Audit(lived / 'guard.db')
    change(lived, "INSERT INTO events (at, kind, ref, detail) VALUES (0, 'turn', '1/7', '{}')")
    audit.note(NOW + 40.0, 'turn', '1/8', {})
    audit.close()
    assert 'row 11 has no digest' in faults(lived)


def test_a_home_of_before_gets_a_chain_from_now_on(home):
    home.mkdir()
    change(
        home,
        'CREATE TABLE events (number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, '
        'kind TEXT NOT NULL, ref TEXT NOT NULL, detail TEXT NOT NULL)',
        "INSERT INTO events VALUES (1, 1.0, 'turn', '1/1', '{}')",
    )
    with pytest.raises(AuditUnreadable, match='older than the chain'):
        AuditReader(home)
    audit = Audit(home / 'guard.db')
    audit.note(NOW, 'turn', '1/2', {})
    audit.note(NOW, 'turn', '1/3', {})
    audit.close()
    assert faults(home) == []
    change(home, "UPDATE events SET ref = '' WHERE number = 2")
    assert faults(home) == ['row 2 was changed']


def soul(*words):
    result = CliRunner().invoke(app, ['audit', *map(str, words)], env={'COLUMNS': '200'})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.output


def test_it_is_shown_exported_and_checked_from_a_terminal(lived, tmp_path):
    code, text = soul('show', '--home', lived, '--kind', 'stop')
    assert (code, 'stop' in text) == (0, True)
    assert soul('export', tmp_path / 'all.jsonl', '--home', lived)[0] == 0
    rows = [json.loads(line) for line in (tmp_path / 'all.jsonl').read_text().split('\n')[:-1]]
    assert [row['number'] for row in rows] == list(range(1, 11))
    assert rows[1]['detail'] == {'steps': 0, 'text': 'ö\u2028"'}
    code, text = soul('verify', '--home', lived)
    assert (code, rows[-1]['digest'] in text) == (0, True)
    change(lived, 'DELETE FROM events WHERE number = 6')
    code, text = soul('verify', '--home', lived)
    assert (code, 'row 6 is missing' in text) == (1, True)


@pytest.mark.parametrize('content', [None, b'', b'not a database' * 100])
def test_what_is_no_audit_is_a_line(home, content):
    home.mkdir()
    if content is not None:
        (home / 'guard.db').write_bytes(content)
    for command in ('show', 'verify', 'export'):
        code, text = soul(command, '--home', home)
        assert code == 1
        assert 'guard.db' in text
    assert os.listdir(home) == ([] if content is None else ['guard.db'])
