"""The policy for organs that fail, without any wiring."""

import pytest

from soul.core.organ import Health
from soul.core.supervision import RESTARTS, STRAY_LIMIT, WITHIN_SECONDS, Supervisor, in_a_line


class Looked:
    """A supervisor, its clock and what it told."""

    def __init__(self):
        self.now = 0.0
        self.told = []
        self.supervisor = Supervisor(
            'heart', lambda: self.now, lambda *line: self.told.append(line)
        )

    def errors(self):
        return [text for level, text in self.told if level == 'error']


def fail():
    raise ZeroDivisionError('a\nbug')


def test_what_goes_well_is_handed_on():
    w = Looked()
    assert w.supervisor.attempt(lambda: 7) == 7
    assert w.supervisor.shield(lambda: 7) == 7
    assert not w.told
    own = Health('ok', 'well', {'a': 'b'})
    assert w.supervisor.health(own) == own


def test_a_bug_is_told_in_one_line_and_traced_at_debug():
    """found 3, 41: an exception in one organ ended all of them."""
    w = Looked()
    assert w.supervisor.attempt(fail) is None
    assert 'ZeroDivisionError: a bug' in w.supervisor.broken
    assert 'test_supervision.py' in w.supervisor.broken
    (error,) = w.errors()
    assert '\n' not in error
    assert [level for level, _ in w.told] == ['error', 'debug']
    assert 'Traceback' in w.told[1][1]


def test_storage_is_no_bug():
    w = Looked()

    def full():
        raise OSError(28, 'No space left on device')

    with pytest.raises(OSError, match='No space'):
        w.supervisor.attempt(full)
    assert not w.supervisor.broken


def test_three_times_in_ten_minutes_then_it_stays_down():
    w = Looked()
    pauses = []
    for _ in range(RESTARTS):
        w.supervisor.attempt(fail)
        pauses.append(w.supervisor.again())
        assert not w.supervisor.broken
        assert w.supervisor.health(Health()).level == 'warn'
        w.now += 1.0
    assert pauses == sorted(pauses)
    assert len(set(pauses)) == RESTARTS
    w.supervisor.attempt(fail)
    assert w.supervisor.again() is None
    assert w.supervisor.down
    health = w.supervisor.health(Health())
    assert health.level == 'error'
    assert 'stays down' in health.message
    assert 'ZeroDivisionError' in health.message


def test_failures_far_apart_are_begun_anew_for_ever_and_forgotten():
    w = Looked()
    for _ in range(10 * RESTARTS):
        w.supervisor.attempt(fail)
        assert w.supervisor.again() is not None
        w.now += WITHIN_SECONDS / RESTARTS
    w.now += WITHIN_SECONDS
    assert w.supervisor.health(Health()).level == 'ok'


def test_what_outsiders_send_is_told_and_ends_nothing():
    """found 41: a malformed request ended the process."""
    w = Looked()
    assert w.supervisor.shield(fail) is None
    assert not w.supervisor.broken
    assert 'ZeroDivisionError' in w.supervisor.health(Health()).values['not understood']
    with pytest.raises(ZeroDivisionError):
        w.supervisor.shield(fail, (ZeroDivisionError,))


def test_a_storm_of_them_begins_the_organ_anew():
    w = Looked()
    for _ in range(STRAY_LIMIT - 1):
        w.supervisor.shield(fail)
        w.now += 1.0
    assert not w.supervisor.broken, 'one a second is a nuisance'
    for _ in range(STRAY_LIMIT):
        w.supervisor.shield(fail)
    assert w.supervisor.broken


def test_a_line_is_a_line_however_long_the_error():
    assert len(in_a_line(ValueError('x\n' * 100_000))) < 300
    assert in_a_line(ValueError()) == 'ValueError'
