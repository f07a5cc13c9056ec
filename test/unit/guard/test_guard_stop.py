"""The stop waits for nobody: not for a database, not for the body's word."""

import errno
import math
import os
import random
import sqlite3
import time

import pytest

from soul.core.organ import Answer, Ask, Finish, Report
from soul.guard.audit import Audit
from soul.guard.config import GuardConfig
from soul.guard.guard import Guard
from soul.signals import (
    GuardState,
    MindState,
    SayResult,
    SpeakRequest,
    TriggerAnswer,
    TriggerRequest,
    Turn,
)
from soul.store import Unreadable

NOW = 1_000_000.0
SPEAK = SpeakRequest('hello', 'happy', 'mind', '')


def guard(audit, written=None):
    written = [] if written is None else written
    made = Guard(GuardConfig(timezone='UTC'), random.Random(1), audit, written.append)
    list(made.start(NOW))
    return made


@pytest.fixture
def held(tmp_path):
    """A guard whose database somebody else is writing to."""
    audit = Audit(tmp_path / 'guard.db')
    made = guard(audit)
    other = sqlite3.connect(tmp_path / 'guard.db', isolation_level=None)
    other.execute('BEGIN IMMEDIATE')
    yield made, other
    other.close()
    audit.close()


def of(outputs, kind):
    return [output for output in outputs if isinstance(output, kind)]


def test_a_held_database_delays_neither_a_stop_nor_a_refusal(held):
    """found 45: a stop was held up for 8.2 s by a write transaction on guard.db."""
    made, other = held
    begun = time.monotonic()
    with pytest.raises(OSError, match='locked') as refused:
        made.serve_speak(SPEAK, NOW)
    assert refused.value.errno == errno.EBUSY
    outputs = list(made.perform_stop(TriggerRequest(), 'h', NOW))
    assert of(outputs, GuardState)[0].stopped
    list(made.on_mind_state(MindState(last_turn=Turn(epoch=1, sequence=1)), NOW))
    answer, denied = made.serve_speak(SPEAK, NOW)
    list(denied)
    assert not answer.accepted
    assert made.health(NOW).level == 'error'
    assert time.monotonic() - begun < 2.0, 'nobody waits for a lock'
    other.execute('ROLLBACK')
    list(made.step(NOW + 60.0))
    assert made.health(NOW + 60.0).level == 'error'
    assert 'not confirmed' in made.health(NOW + 60.0).message, 'the storage is well again'
    kinds = [kind for (kind,) in other.execute('SELECT kind FROM events')]
    assert kinds == ['stop', 'turn', 'act', 'storage'], 'and nothing is missing from the audit'


def test_the_state_is_told_without_a_look_into_the_database(tmp_path, databases):
    """found 45: her state, which goes out first in a stop, was read from the database."""
    audit = Audit(tmp_path / 'guard.db')
    made = guard(audit)
    answer, outputs = made.serve_speak(SPEAK, NOW)
    ask = of(outputs, Ask)[0]
    list(made.on_answer(Answer(ask.to, ask.token, ask.request, SayResult('done')), NOW))
    databases.newest.close()
    assert [act.id for act in made.state(NOW).recent] == [answer.act_id]


def test_what_is_owed_is_written_in_few_transactions(tmp_path, databases):
    """found 45: thousands of entries, each with its own wait for the disk, held the guard up."""
    audit = Audit(tmp_path / 'guard.db')
    own = databases.newest
    other = sqlite3.connect(tmp_path / 'guard.db', isolation_level=None)
    other.execute('BEGIN IMMEDIATE')
    for number in range(5000):
        audit.note(NOW, 'x', str(number), {})
    other.execute('ROLLBACK')
    statements = []
    own.set_trace_callback(statements.append)
    assert audit.retry(NOW)
    assert sum('COMMIT' in statement for statement in statements) <= 10
    refs = [ref for (ref,) in other.execute("SELECT ref FROM events WHERE kind = 'x'")]
    assert refs == [str(number) for number in range(5000)]
    other.close()
    audit.close()


@pytest.mark.parametrize(
    ('answer', 'failure', 'told'),
    [
        (TriggerAnswer(True, 'halted'), '', 'stopped; the body: halted; `resume` ends it'),
        (None, 'absent', 'no driver offers body/halt'),
        (None, 'lost', 'the body has not confirmed'),
        (TriggerAnswer(False, 'no'), '', 'refused body/halt: no'),
    ],
)
def test_the_answer_says_what_has_confirmed_the_stop(answer, failure, told):
    """found 30: `stopped` was said while a foreign body went on for 18 s, and nobody was told."""
    made = guard(Audit())
    outputs = list(made.perform_stop(TriggerRequest(), 'h', NOW))
    assert of(outputs, GuardState)[0].stopped, 'the stop itself waits for nobody'
    assert not of(outputs, Finish)
    ask = of(outputs, Ask)[0]
    assert ask.deadline <= 1.0
    ends = list(made.on_answer(Answer(ask.to, ask.token, ask.request, answer, failure), NOW))
    finish = of(ends, Finish)[0]
    assert finish.handle == 'h'
    assert finish.result.success
    assert told in finish.result.message
    well = answer is not None and answer.success
    assert bool(of(ends, Report)) is not well, 'the log says so, too'
    assert ('but' in made.health(NOW).message) is not well
    assert made.due() > NOW + 1.0


def test_it_says_what_goes_on_and_that_the_mind_thinks():
    """found 30: an adapter without cancel, and a mind that has not heard."""
    made = guard(Audit())
    list(made.serve_speak(SPEAK, NOW)[1])
    list(made.on_mind_state(MindState(phase='waking'), NOW))
    ask = of(made.perform_stop(TriggerRequest(), 'h', NOW), Ask)[0]
    halted = Answer(ask.to, ask.token, ask.request, TriggerAnswer(True, 'halted'))
    assert not of(made.on_answer(halted, NOW), Finish), 'it waits a moment for the others'
    assert made.due() <= NOW + 1.0
    (finish,) = of(made.step(NOW + 1.0), Finish)
    assert 'speak has not ended yet' in finish.result.message
    assert 'the mind has not confirmed' in finish.result.message
    assert 'speak has not ended' in made.health(NOW).message
    list(made.on_mind_state(MindState(phase='stopped'), NOW))
    say = made.state(NOW).recent[-1]
    list(made.on_answer(Answer('body/say', say.id, None, SayResult('aborted')), NOW + 18.0))
    assert made.health(NOW).level == 'warn', 'it has ended at last'


def test_it_is_answered_at_once_when_all_have_confirmed():
    """found 30: the answer waits for nothing that is over."""
    made = guard(Audit())
    _, outputs = made.serve_speak(SPEAK, NOW)
    say = of(outputs, Ask)[0]
    list(made.on_mind_state(MindState(phase='waking'), NOW))
    ask = of(made.perform_stop(TriggerRequest(), 'h', NOW), Ask)[0]
    halted = Answer(ask.to, ask.token, ask.request, TriggerAnswer(True, 'halted'))
    assert not of(made.on_answer(halted, NOW), Finish)
    aborted = Answer(say.to, say.token, say.request, SayResult('aborted', 'halted'))
    assert not of(made.on_answer(aborted, NOW), Finish)
    ends = list(made.on_mind_state(MindState(phase='stopped'), NOW))
    assert of(ends, Finish)[0].result.message == 'stopped; the body: halted; `resume` ends it'
    assert made.health(NOW).level == 'warn'


def test_a_stop_is_ordered_again_and_again():
    """found 30: whoever repeats it is answered, and the body hears it again."""
    made = guard(Audit())
    asks = []
    for handle in ('h1', 'h2', 'h3'):
        asks += of(made.perform_stop(TriggerRequest(), handle, NOW), Ask)
    assert [ask.to for ask in asks] == ['body/halt'] * 3
    ends = []
    for ask in reversed(asks):
        halted = Answer(ask.to, ask.token, ask.request, TriggerAnswer(True, 'halted'))
        ends += of(made.on_answer(halted, NOW), Finish)
    assert sorted(end.handle for end in ends) == ['h1', 'h2', 'h3']
    assert made.state(NOW).stop_epoch == 1


@pytest.mark.parametrize('how', ['page', 'header', 'text', 'short'])
def test_a_damaged_database_refuses_the_start_each_time_and_stays(tmp_path, how):
    """found 43: a damaged page of guard.db was a crash at each start."""
    path = tmp_path / 'guard.db'
    audit = Audit(path)
    for number in range(2000):
        audit.note(NOW, 'x', str(number), {'a': 'b' * 50})
    audit.close()
    data = bytearray(path.read_bytes())
    if how == 'page':
        data[4096:40960] = os.urandom(36864)
    elif how == 'header':
        data[:100] = bytes(100)
    elif how == 'text':
        data[:] = b'no database at all\n' * 100
    else:
        del data[len(data) // 2 :]
    path.write_bytes(data)
    for _ in range(3):
        with pytest.raises(Unreadable, match=r'guard\.db'):
            Audit(path)
    assert path.read_bytes() == data, 'nothing of it is lost'


def test_a_database_that_is_held_at_the_start_is_a_clear_line(tmp_path):
    """found 50: a locked database at the start."""
    path = tmp_path / 'guard.db'
    Audit(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute('PRAGMA locking_mode = EXCLUSIVE')
    other.execute('BEGIN EXCLUSIVE')
    try:
        with pytest.raises(OSError, match='locked') as refused:
            Audit(path)
        assert refused.value.filename == str(path)
    finally:
        other.close()


def test_damage_while_she_lives_is_told_and_stops_no_stop(tmp_path, databases):
    """found 43: the guard goes on, fails closed, and says why."""
    audit = Audit(tmp_path / 'guard.db')
    made = guard(audit)
    for number in range(2000):
        audit.note(NOW, 'x', str(number), {'a': 'b' * 50})
    databases.newest.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    with open(tmp_path / 'guard.db', 'r+b') as file:
        file.seek(4096)
        file.write(os.urandom(400_000))
    databases.newest.execute('PRAGMA cache_size = 0')
    assert of(made.perform_stop(TriggerRequest(), 'h', NOW), GuardState)[0].stopped
    assert made.due() < math.inf
